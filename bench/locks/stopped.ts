// Measures the halt of locks while a member that holds nothing is stopped (SIGSTOP), and while another process joins or leaves meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../results.js';
import { leaseMs } from './contenders/contender.js';
import { ask, GrowthGroup, handedOver, usedAlone } from './growth-group.js';
import { medianAndLongest, significant, table } from './report.js';

const size = 8;
const changes = ['nothing', 'joins', 'leaves'] as const;
type Change = (typeof changes)[number];
/** The places of the users of each lock. The youngest member is stopped. */
const users = { shared: [1, 2], single: [3], passed: [4, 5], asker: 6, stopped: size - 1 };
const newNames = 64; // asked for at the same time: some of them begin at the stopped member
const coolMs = 1000;
const stoppedMs = 100; // before the change
const changedMs = 100; // before the locks are asked for that are not in use

interface Halts {
  readonly shared: number[];
  readonly single: number[];
  readonly passed: number[];
  readonly abandoned: number[];
  readonly newMedian: number[];
  readonly newLongest: number[];
  readonly join: number[]; // until the newcomer has its first lock
  readonly back: number[]; // until the stopped process, continued, has a lock
}

const titles: Readonly<Record<keyof Halts, string>> = {
  shared: 'two processes hand it to each other',
  single: 'one process uses it',
  passed: 'the stopped process has used it once; since then two others hand it to each other',
  abandoned: 'the stopped process was the last to use it: one wait',
  newMedian: `its name is new: median wait of ${newNames} names`,
  newLongest: 'its name is new: longest wait of these',
  join: 'the first lock of the newcomer: from the call of `join`',
  back: 'any lock, taken by the stopped process: from when it is continued',
};

export async function stoppedMember(where: string, repeat: number): Promise<string[]> {
  const group = new GrowthGroup(where);
  const halts = new Map(changes.map((change) => [change, noHalts()]));
  try {
    for (let k = 1; k <= size; k += 1) await group.grow(k); // one by one, so that places are those of the view
    for (let k = 0; k < repeat; k += 1)
      for (const [change, into] of halts) {
        await stopOnce(group, `${change}-${k}`, change, into);
        console.error(`stopped: ${change}: ${Object.values(into).map((all) => significant(all.at(-1)!))}`);
      }
  } finally {
    await group.end();
  }
  const rows = (Object.keys(titles) as (keyof Halts)[]).map((lock) => [
    titles[lock],
    ...[...halts.values()].map((all) => (all[lock].length === 0 ? '' : medianAndLongest(all[lock]))),
  ]);
  return [
    `One of ${size} members holds nothing. It is stopped (SIGSTOP) for longer than its lease of ${leaseMs / 1000} s; ${stoppedMs} ms later another process joins or leaves, or neither. The halts last until all others`,
    `know the view without the stopped process: ${repeat} times each, milliseconds as median (longest). Then the process is continued, and becomes a member again.`,
    '',
    ...table(['lock', 'nobody joins or leaves', 'one joins', 'one leaves'], rows),
  ];
}

/** `run` makes names that were never used. */
async function stopOnce(group: GrowthGroup, run: string, change: Change, into: Halts): Promise<void> {
  const stopped = group.member(users.stopped);
  const asker = group.member(users.asker);
  const others = Array.from({ length: size - 1 }, (_, k) => group.member(k));
  const [visitor] = await group.visitors(change === 'nothing' ? 0 : 1);
  if (change === 'leaves') await ask(visitor!, { type: 'join' });
  const [shared, single, passed] = [`shared-${run}`, `single-${run}`, `passed-${run}`];
  const abandoned = `abandoned-${run}`;
  await ask(stopped, { type: 'take', locks: [passed] });
  await group.use(shared, users.shared, handedOver);
  await group.use(single, users.single, usedAlone);
  await group.use(passed, users.passed, handedOver);
  await pause(coolMs);
  await ask(stopped, { type: 'take', locks: [abandoned] });
  stopped.kill('SIGSTOP');
  await pause(stoppedMs);
  const act = async () => {
    const joined = change === 'joins' ? ask(visitor!, { type: 'join' }) : null;
    const left = change === 'leaves' ? ask(visitor!, { type: 'leave' }) : null;
    await pause(changedMs);
    const locks = Array.from({ length: newNames }, (_, k) => `new-${run}-${k}`);
    const { waits } = await ask(asker, { type: 'take', locks: [abandoned, ...locks] });
    await left;
    return { waits, joined: await joined };
  };
  const expected = others.length + (change === 'joins' ? 1 : 0);
  const { result, window } = await group.observe(act, expected, others);
  const [wait, ...rest] = result.waits;
  into.shared.push(await group.halt(shared, window));
  into.single.push(await group.halt(single, window));
  into.passed.push(await group.halt(passed, window));
  into.abandoned.push(wait!);
  into.newMedian.push(median(rest));
  into.newLongest.push(Math.max(...rest));
  if (result.joined !== null) into.join.push(result.joined.firstLockMs);
  const continuedAt = performance.now();
  stopped.kill('SIGCONT');
  await ask(stopped, { type: 'take', locks: [abandoned] });
  into.back.push(performance.now() - continuedAt);
  await group.settled(expected + 1);
  if (change === 'joins') await ask(visitor!, { type: 'leave' });
  visitor?.kill('SIGKILL');
  await group.rest();
  await group.settled(size);
}

const noHalts = (): Halts => ({
  shared: [],
  single: [],
  passed: [],
  abandoned: [],
  newMedian: [],
  newLongest: [],
  join: [],
  back: [],
});
