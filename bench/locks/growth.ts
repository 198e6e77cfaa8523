// Measures a group as it grows, in members and in held locks: the time of a join, the halt of unrelated locks when one member joins,
// leaves or is killed, the bytes sent, and the memory and processor time of a member.
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../results.js';
import { leaseMs } from './contenders/contender.js';
import { now } from './crew.js';
import { inOwnDirectory } from './directory.js';
import { type Change, events, eventTitles, type Figures, type GrowthEvent } from './growth-figures.js';
import { ask, GrowthGroup, handedOver, usedAlone } from './growth-group.js';
import type { Joined, Look } from './growth-member.js';
import { growthPicture } from './growth-picture.js';
import type { Window } from './judge.js';
import { atMost, medianAndLongest, type Part, significant, table } from './report.js';
import { stoppedMember } from './stopped.js';

export interface Extent {
  readonly most: number; // members
  readonly repeat: number;
}

/** The size of a group at one moment. */
interface Step {
  readonly members: number;
  readonly locks: number; // held by all members
}

const locksEach = 5; // of a member, while members are added
const fewMembers = 4; // while locks are added
const ofMembers = (members: number): Step => ({ members, locks: locksEach * members });
const byMembers = [2, 4, 8, 16, 32, 64, 128].map(ofMembers);
// With more processes, what each of them does in every lease would take half of two processors, and a disturbance would put members out.
const largest = [256].map(ofMembers);
const longLeaseMs = 4 * leaseMs;
const byLocks: readonly Step[] = [0, 100, 1000, 10_000, 100_000].map((locks) => ({
  members: fewMembers,
  locks,
}));
const byBoth: readonly Step[] = [{ members: 16, locks: 16 * 500 }];
const idleMs = 3000;
const idleAttempts = 3; // to find a time in which the view does not change
const quietMs = 1000;
const coolMs = 500;
const restMs = 200; // between two changes
const endings = ['leaves', 'killed'] as const; // of visits

async function figuresOf(group: GrowthGroup, locks: number, repeat: number): Promise<Figures> {
  const none = () => ({ nothing: [], joins: [], leaves: [], killed: [] });
  const before = await outsOf(group);
  await pause(coolMs);
  const weights = await group.weights();
  await pause(coolMs);
  const idle = await idling(group);
  const visitorHolds = Math.min(locksEach, locks);
  const bytes = await sent(group, idle.bytesPerMs, visitorHolds);
  const measured = { joins: [] as Joined[], shared: none(), single: none() };
  await inUse(group, measured, repeat, visitorHolds);
  const figures: Figures = {
    ...measured,
    members: group.size,
    locks,
    bytes,
    outs: (await outsOf(group)) - before,
    heap: median(weights.map(({ heap }) => heap)),
    resident: median(weights.map(({ resident }) => resident)),
    processor: idle.processor,
  };
  console.error(
    `growth: ${group.size} members, ${locks} locks: ${timeCells(figures).join(', ')}; ${costCells(figures).join(', ')}`,
  );
  return figures;
}

/** Returns how often a member was put out so far. */
const outsOf = async (group: GrowthGroup): Promise<number> =>
  sum((await group.looks()).map(({ outs }) => outs.length));

/** Returns the traffic of all members and the processor time of one member while nothing happens. */
async function idling(
  group: GrowthGroup,
  attempts = idleAttempts,
): Promise<{ readonly bytesPerMs: number; readonly processor: number }> {
  const began = performance.now();
  const before = await group.looks();
  await pause(idleMs);
  const after = await group.looks();
  const lasted = performance.now() - began;
  if (attempts > 1 && !after.every(({ epoch }, k) => epoch === before[k]!.epoch)) {
    console.error('growth: the view changed while nothing happened');
    return idling(group, attempts - 1);
  }
  const grown = (what: 'bytes' | 'processor') => sum(after.map((one, k) => one[what] - before[k]![what]));
  return {
    bytesPerMs: grown('bytes') / lasted,
    processor: grown('processor') / (1000 * lasted) / group.size,
  };
}

/** Returns the bytes that all members send for each change, minus their idle traffic. No lock is in use. */
async function sent(group: GrowthGroup, bytesPerMs: number, holds: number): Promise<Record<Change, number>> {
  const { size } = group;
  const bytes: Record<Change, number[]> = { joins: [], leaves: [], killed: [] };
  const total = (looks: readonly Look[]) => sum(looks.map((one) => one.bytes));
  const count = async (what: Change, change: () => Promise<number>, size: number, before = 0) => {
    const began = performance.now();
    const first = total(await group.looks()) + before;
    const { result } = await group.observe(change, size);
    const last = total(await group.looks()) + result;
    bytes[what].push(Math.max(0, last - first - bytesPerMs * (performance.now() - began)));
  };
  const visitors = await group.visitors(endings.length);
  for (const [k, ending] of endings.entries()) {
    const visitor = visitors[k]!;
    const sentByVisitor = async () => (await ask(visitor, { type: 'look' })).bytes;
    const join = async () => {
      await ask(visitor, { type: 'join' });
      return sentByVisitor();
    };
    await count('joins', join, size + 1);
    await ask(visitor, { type: 'hold', locks: holds });
    await group.settled(size + 1);
    const before = await sentByVisitor();
    const leave = async () => (await ask(visitor, { type: 'leave' })).bytes;
    const kill = async () => {
      visitor.kill('SIGKILL');
      return before;
    };
    await count(ending, ending === 'leaves' ? leave : kill, size, before);
    visitor.kill('SIGKILL');
  }
  return { joins: median(bytes.joins), leaves: median(bytes.leaves), killed: median(bytes.killed) };
}

/** Observes locks in use while visitors join, leave and are killed. */
async function inUse(
  group: GrowthGroup,
  { joins, shared, single }: Pick<Figures, 'joins' | 'shared' | 'single'>,
  repeat: number,
  holds: number,
): Promise<void> {
  const { size } = group;
  const note = async (event: GrowthEvent, window: Window) => {
    shared[event].push(await group.halt('shared', window));
    single[event].push(await group.halt('single', window));
  };
  await group.use('shared', [1 % size, 2 % size], handedOver);
  await group.use('single', [3 % size], usedAlone);
  await pause(coolMs);
  for (let round = 0; round < repeat; round += 1) {
    const visitors = await group.visitors(endings.length);
    const from = now();
    await pause(quietMs);
    await note('nothing', { from, to: now() });
    for (const [k, ending] of endings.entries()) {
      const visitor = visitors[k]!;
      const joined = await group.observe(() => ask(visitor, { type: 'join' }), size + 1);
      joins.push(joined.result);
      await note('joins', joined.window);
      await ask(visitor, { type: 'hold', locks: holds });
      await pause(restMs);
      const leave = () => ask(visitor, { type: 'leave' });
      const kill = async () => visitor.kill('SIGKILL');
      const left = await group.observe<unknown>(ending === 'leaves' ? leave : kill, size);
      await note(ending, left.window);
      visitor.kill('SIGKILL');
    }
  }
  await group.rest();
}

/** Measures a group at each step. Stops at the first step that fails. */
async function follow(name: string, steps: readonly Step[], repeat: number, leaseMs?: number) {
  const group = new GrowthGroup(name, leaseMs);
  const all: Figures[] = [];
  const failures: string[] = [];
  let outs = 0;
  try {
    for (const { members, locks } of steps) {
      try {
        await group.grow(members);
        await group.hold(locks / members);
        all.push(await figuresOf(group, locks, repeat));
        outs = await outsOf(group);
      } catch (error) {
        failures.push(`Failed with ${members} members and ${locks} locks: ${(error as Error).message}.`);
        console.error(failures.at(-1));
        break;
      }
    }
  } finally {
    await group.end();
  }
  return { all, failures, outs };
}

export function grown(where: string, { most, repeat }: Extent): Promise<Part> {
  return inOwnDirectory(async () => {
    const upToMost = (steps: readonly Step[]) => steps.filter(({ members }) => members <= most);
    const inMembers = await follow(`${where}-members`, upToMost(byMembers), repeat);
    const inMany = await follow(`${where}-many`, upToMost(largest), repeat, longLeaseMs);
    const inLocks = await follow(`${where}-locks`, byLocks, repeat);
    const inBoth = await follow(`${where}-both`, byBoth, repeat);
    const stopped = await stoppedMember(`${where}-stopped`, repeat);
    const courses = [inMembers, inMany, inLocks, inBoth];
    const failures = courses.flatMap((course) => course.failures);
    const measuredOuts = sum(courses.flatMap(({ all }) => all.map(({ outs }) => outs)));
    const allOuts = sum(courses.map(({ outs }) => outs));
    const targets = [
      atMost('members put out while a group was measured', measuredOuts, 0),
      atMost('members put out while a group grew', allOuts - measuredOuts, 0),
    ];
    const rowsOf = (cells: (figures: Figures) => string[]) =>
      courses.flatMap(({ all }) =>
        all.map((one) => [`${one.members}`, one.locks.toLocaleString('en'), ...cells(one)]),
      );
    return {
      lines: [
        ...about(repeat),
        '',
        '![Join time and halts by members and by locks held](growth.svg)',
        '',
        ...table(timeHeads, rowsOf(timeCells)),
        '',
        ...aboutCosts,
        '',
        ...table(costHeads, rowsOf(costCells)),
        '',
        ...stopped,
        '',
        ...targets.map(({ line }) => line),
        ...(failures.length === 0 ? [] : ['', ...failures]),
      ],
      pictures: { 'growth.svg': growthPicture([...inMembers.all, ...inMany.all], inLocks.all) },
      isGood: failures.length === 0 && targets.every(({ isMet }) => isMet),
    };
  });
}

const about = (repeat: number) => [
  `Every member is a process on this machine. Leases last ${leaseMs / 1000} s, with ${largest[0]!.members} members ${longLeaseMs / 1000} s. A visitor that holds ${locksEach} locks joins and leaves, or joins and is killed (kill -9); each ${repeat} times. Times are milliseconds:`,
  'median (longest). "Join resolves" and "first lock" count from the call of `join`. A halt is the longest time between two grants to a process that takes a lock again and again.',
  'The visitor never uses this lock. Two users: two processes hand one lock to each other, and hold it for 1 ms each time. One user: one process takes a lock every millisecond.',
  'The columns "nothing" show one second in which nobody joins or leaves: the effect of the load alone.',
];
const aboutCosts = [
  'kB sent: by all members together for one change, minus their idle traffic. No lock is in use meanwhile. Heap (after a garbage collection) and resident memory are those of the median member.',
  'Processor: the time of an idle member, in milliseconds per second.',
];

const timeHeads = [
  ...['members', 'locks held', 'join resolves', 'first lock'],
  ...['two users', 'one user'].flatMap((users) =>
    events.map((event, k) => (k === 0 ? `halt, ${users}: ${eventTitles[event]}` : eventTitles[event])),
  ),
];
const costHeads = [
  ...['members', 'locks held', 'kB sent: one joins', 'one leaves', 'one is killed'],
  ...['heap, MB', 'resident, MB', 'processor, ms/s'],
];

const timeCells = ({ joins, shared, single }: Figures): string[] => [
  medianAndLongest(joins.map(({ resolvedMs }) => resolvedMs)),
  medianAndLongest(joins.map(({ firstLockMs }) => firstLockMs)),
  ...events.map((event) => medianAndLongest(shared[event])),
  ...events.map((event) => medianAndLongest(single[event])),
];

const costCells = ({ bytes, heap, resident, processor }: Figures): string[] => [
  ...[bytes.joins, bytes.leaves, bytes.killed].map((one) => significant(one / 1000)),
  (heap / 1e6).toFixed(1),
  (resident / 1e6).toFixed(0),
  significant(1000 * processor),
];

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
