// One of several processes of different versions in one group. It takes locks and stands for an election, and writes logs while it holds:
// mixed-version.js LOG GROUP LEASE_MS ALGORITHM VERSION
//
// VERSION 6 is this version. With 5 or 4, the process says in the view nothing of its version, and its transport speaks only versions up to that.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEngine } from '../../../dist/cluster/engines/local/embedded-engine.js';
import { machineNs } from '../../../dist/cluster/engines/local/machine-clock.js';
import { Group } from '../../../dist/cluster/group/group.js';
import { findLockAlgorithm } from '../../../dist/cluster/group/lock-algorithm.js';
import { engineLeaseFraction } from '../../../dist/cluster/membership/lease-margin.js';
import { frameFormats } from '../../../dist/cluster/transport/encoding/frame-formats.js';
import { listenUnix } from '../../../dist/cluster/transport/unix.js';

const [, , log, group, lease, algorithm, version] = process.argv;
const leaseMs = Number(lease);
const isOld = Number(version) < 6;
const formats = new Map([...frameFormats].filter(([number]) => number <= Number(version)));
const ids = new Set();
const sent = {}; // frames, by type

const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
const withoutVersion = ({ speaks, ...peer }) => (ids.has(peer.id) ? peer : { speaks, ...peer });
const olderEngine = new Proxy(engine, {
  get: (target, name) => {
    const value = target[name];
    if (name === 'change')
      return (after, used, members) =>
        target.change(after, used, isOld ? members.map(withoutVersion) : members);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});
const member = new Group({
  ...{
    group,
    algorithm,
    algorithmOf: findLockAlgorithm,
    leaseMs,
    priority: 0,
    engine: olderEngine,
    spansMachines: false,
  },
  listen: async (id, listener) => {
    ids.add(id);
    const transport = await engine.listen(id, (path) => listenUnix(path, { group, id, listener, formats }));
    return {
      address: transport.address,
      send: (to, frame) => {
        sent[frame.type] = (sent[frame.type] ?? 0) + 1;
        transport.send(to, frame);
      },
      keep: (peers) => transport.keep(peers),
      reachItself: (timeoutMs) => transport.reachItself(timeoutMs),
      close: () => transport.close(),
    };
  },
});

let isStopping = false;
process.on('message', () => {
  isStopping = true;
});

/** Writes what check-log.ts reads, while the lock or the term is held. */
async function hold({ fence }, assertHeld, release, to) {
  const entered = machineNs();
  const write = (what, number, at) => appendFileSync(to, `${what} ${process.pid} ${number} ${at}\n`);
  try {
    write('enter', fence, entered);
    for (let i = Math.floor(Math.random() * 3); i >= 0; i -= 1) {
      await sleep(Math.random() * 3);
      const at = machineNs(); // before the check: if the check succeeds, the lock was held at this time
      assertHeld();
      write('held', fence, at);
    }
    await release();
  } catch (error) {
    if (error.code !== 'lost') throw error;
    console.error(`${process.pid}, version ${version}: ${error.message}`);
    write('lost', 0, machineNs());
  }
}

async function lead() {
  const stop = new AbortController();
  const stopping = setInterval(() => isStopping && stop.abort(), 20);
  for await (const term of member.election('chief').terms({ signal: stop.signal })) {
    await hold(
      term,
      () => term.assertLeading(),
      () => term.resign(),
      `${log}-terms`,
    );
    terms += 1;
    await sleep(Math.random() * 20);
  }
  clearInterval(stopping);
}

let terms = 0;
await member.join(undefined);
process.send('joined');
const leading = lead();
for (let turns = 1; !isStopping; turns += 1) {
  const name = `lock-${Math.floor(Math.random() * 4)}`;
  const lock = await member.lock(name);
  await hold(
    lock,
    () => lock.assertHeld(),
    () => lock.release(),
    `${log}-${name}`,
  );
  const kept = await member.tryLock('kept');
  await kept?.release();
  process.send({ turns, terms, sent, isKept: kept === null });
  await sleep(Math.random() * 2);
}
await leading;
await member.leave();
process.disconnect();
