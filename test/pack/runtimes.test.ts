// The package on Node 20, 22 and 24, on Bun and on Deno: each alone, and all of them in one group. `npm run verify -- runtimes` runs the
// tests of join, locks and elections on each of them, too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ServerName } from '../../bench/servers.ts';
import { installRuntimes, type Runtime, runtimes } from '../../scripts/runtimes.js';
import { certificatesIn } from '../cluster/certificates.ts';
import { withServer } from '../cluster/database-server.ts';
import { isVerify } from '../tiers.ts';
import { EmptyFolder } from './empty-folder.ts';
import { RuntimeMember } from './runtime-member.ts';

const clients = ['pg', 'redis', 'mysql2', '@nats-io/kv@3.3', '@nats-io/transport-node@3.3'];
let folder: EmptyFolder;
let installed: Runtime[];
beforeAll(() => {
  folder = new EmptyFolder();
  folder.install('batonjs', 'batonjs-lab', ...(isVerify ? clients : []));
  folder.write('group-member.mjs', readFileSync('test/pack/group-member.mjs', 'utf8'));
  installed = installRuntimes(join(folder.path, 'runtimes'));
});
afterAll(() => folder.remove());

let members: RuntimeMember[] = [];
afterEach(async () => {
  await Promise.all(members.map((member) => member.kill()));
  members = [];
});

const names = runtimes.map(({ name }) => name);
const runtimeOf = (name: string) => installed.find((one) => one.name === name)!;
const runWith = (name: string, file: string) => {
  const { command, run } = runtimeOf(name);
  return execFileSync(command, [...run, file], { cwd: folder.path, encoding: 'utf8', timeout: 20_000 });
};

/** A program that uses every entry point. */
const program = `import { BatonError, join } from 'batonjs';
import { algorithms, changRoberts } from 'batonjs/algorithms';
import { groups } from 'batonjs/cluster';
import { parseTrace } from 'batonjs/core';
import { fenceIn } from 'batonjs/fences';
import { MessageMachine } from 'batonjs/machine';
import { dekker, sharedAlgorithms } from 'batonjs-lab/algorithms';
import { logicalClocks } from 'batonjs-lab/causality';
import { check } from 'batonjs-lab/check';
import { withSnapshots } from 'batonjs-lab/compositions';
import { sharedAlgorithm } from 'batonjs-lab/core';
import { textDiagram, vectorClocks } from 'batonjs-lab/diagram';
import { MemoryMachine } from 'batonjs-lab/machine';
import { mutants } from 'batonjs-lab/mutants';
import { replay, simulate } from 'batonjs-lab/sim';
const lines = [];
const run = simulate(changRoberts, { ids: [2, 3, 1] }, { trace: (line) => lines.push(line) });
const trace = parseTrace(lines.join('\\n') + '\\n');
console.log(run.leader, replay(changRoberts, trace).ok, textDiagram(trace).length > 0, algorithms.length + mutants.length);
const group = await join('packed');
const lock = await group.lock('a');
console.log(simulate(sharedAlgorithm(dekker)).ok, sharedAlgorithms.length, lock.fence > 0, fenceIn({}));
await lock.release();
console.log([groups, logicalClocks, check, withSnapshots, MessageMachine, MemoryMachine, vectorClocks, BatonError].includes(undefined));
await group.leave();
`;

test.each(names)('every entry point can be imported: %s', (name) => {
  folder.write('use.mjs', program);
  expect(runWith(name, 'use.mjs')).toMatch(/^3 true true \d+\ntrue \d true null\nfalse\n$/);
});

test.each(names)('the lock of the README runs as it is, in at most eight lines, and ends: %s', (name) => {
  const [, text] = /^```js\n(.*?)^```/ms.exec(readFileSync('README.md', 'utf8'))!;
  expect(text!.trim().split('\n').length).toBeLessThanOrEqual(8);
  folder.write('lock.mjs', text!);
  expect(runWith(name, 'lock.mjs')).toMatch(/^holding the lock, fence \d+\n$/);
});

const turns = 20; // of each process

/** Starts a member of each runtime in a new group. */
async function groupOf(chosen: readonly Runtime[], options: object) {
  const data = mkdtempSync(join(folder.path, 'group-'));
  writeFileSync(join(data, 'count'), '0');
  writeFileSync(join(data, 'log'), '');
  const start = (runtime: Runtime) => {
    const member = new RuntimeMember(runtime, folder, basename(data), options, data);
    members.push(member);
    return member;
  };
  const all = chosen.map(start);
  const ids = await Promise.all(all.map((member) => member.says('joined')));
  return { all, ids, start, data };
}

/** The fences of the log rise, and nobody enters while another process is inside, unless that one was killed. */
function expectTurns(data: string, count: number, killed: readonly string[]): void {
  const lines = readFileSync(join(data, 'log'), 'utf8').trim().split('\n');
  let [inside, last] = [null as string | null, 0];
  for (const line of lines) {
    const [what, fence] = line.split(' ') as [string, string];
    if (what === 'leave') {
      expect(fence).toBe(inside);
      inside = null;
      continue;
    }
    expect([null, ...killed]).toContain(inside);
    expect(Number(fence)).toBeGreaterThan(last);
    [inside, last] = [fence, Number(fence)];
  }
  expect(Number(readFileSync(join(data, 'count'), 'utf8'))).toBe(count);
}

/** Locks, takeovers, elections and inspection among one member of each runtime. */
async function sharesOneGroup(chosen: readonly Runtime[], options: object): Promise<void> {
  const { all, ids, start, data } = await groupOf(chosen, options);
  const sorted = (list: readonly string[]) => [...list].sort().join();
  const seen = async () => {
    const answers = await Promise.all(all.map((member) => member.asked('members')));
    return [...new Set(answers.map((answer) => sorted(answer.split(' ')[1]!.split(','))))];
  };
  await expect.poll(seen, { timeout: 30_000 }).toEqual([sorted(ids)]);

  await Promise.all(all.map((member) => member.asked(`turns ${turns}`, 'turns')));
  expectTurns(data, turns * all.length, []);

  const killed: string[] = [];
  for (const [k, victim] of all.entries()) {
    killed.push(await victim.asked('hold', 'holds'));
    const others = all.filter((one) => one !== victim);
    const done = others.map((other) => other.asked('turns 1', 'turns'));
    await victim.kill();
    await Promise.all(done); // another process takes over
    all[k] = start(chosen[k]!);
    ids[k] = await all[k]!.says('joined');
  }
  expectTurns(data, turns * all.length + all.length * (all.length - 1), killed);

  for (const member of all) member.do('stand');
  let fence = 0;
  for (let left = all.length; left > 0; left -= 1) {
    const leads = () => all.findIndex(({ lines }) => lines.some((line) => line.startsWith('leads')));
    await expect.poll(leads, { timeout: 30_000, interval: 5 }).not.toBe(-1);
    const [leader] = all.splice(leads(), 1);
    const [id] = ids.splice(
      ids.findIndex((one) => leader!.lines.includes(`joined ${one}`)),
      1,
    );
    const term = Number(await leader!.says('leads'));
    expect(term).toBeGreaterThan(fence);
    fence = term;
    for (const member of all)
      await expect.poll(() => member.asked('members'), { timeout: 30_000 }).toMatch(`${id} `);
    if (left % 2 === 0) await leader!.kill();
    else await leader!.leave();
  }
}

test('all of them share one group of one machine', { timeout: 120_000 }, () => sharesOneGroup(installed, {}));

const engineOf = (name: ServerName, url: string) => ({
  engine: name === 'etcd' ? url.replace('http', 'etcd') : url,
  ...(name === 'nats' && { unsafe: true }), // a client cannot see how durable NATS is
});
const engines: readonly ServerName[] = isVerify
  ? ['etcd', 'postgresql', 'redis', 'nats', 'mariadb']
  : ['etcd'];

describe.each(engines)('on %s', (name) =>
  withServer(name, (server) => {
    test('all of them share one group, over TCP with certificates', { timeout: 120_000 }, () =>
      sharesOneGroup(installed, { ...engineOf(name, server().url), tls: certificatesIn(folder.path) }),
    );

    test.each([
      ['a secret', { secret: 'correct horse battery staple' }],
      ['the key of the group', {}],
    ])(
      `Node with %s: versions share one group, other runtimes are told to use tls`,
      {
        timeout: 120_000,
      },
      async (_, credentials) => {
        const options = { ...engineOf(name, server().url), ...credentials };
        for (const runtime of installed.filter(({ hasKeys }) => !hasKeys)) {
          const member = new RuntimeMember(runtime, folder, 'refused', options, folder.path);
          members.push(member);
          expect(await member.says('refused')).toMatch(
            /^input (Bun|Deno) does not support pre-shared keys in TLS, by which .*: give tls, in all processes of the group$/,
          );
          expect(await member.ended).toBe(1);
        }
        await sharesOneGroup(
          installed.filter(({ hasKeys }) => hasKeys),
          options,
        );
      },
    );
  }),
);
