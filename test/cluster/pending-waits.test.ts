// Nothing is pending after `leave`, whenever it is called: while everything of this process waits, while it is put out of the group, while it
// rejoins or fails to. Real groups take steps that the test chooses.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BatonError } from '../../src/cluster/errors.ts';
import type { Group } from '../../src/cluster/group/group.ts';
import type { Frame } from '../../src/cluster/transport/transport.ts';
import { seedsOf } from '../tiers.ts';
import { SteppedWorld } from './stepped-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What happens to the process while its calls wait. */
const troubles: Readonly<Record<string, (world: SteppedWorld, group: Group) => void>> = {
  nothing: () => {},
  'it is removed': (world, group) => world.remove(group.id),
  'the engine forgets the view': (world) => world.forgetView(),
  'it is removed, and the engine is away': (world, group) => {
    world.remove(group.id);
    world.isEngineAway = true;
  },
};

/** The outcomes that each call may have. The lock can be granted if the engine forgets the view: the other process then loses it, too. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lock: ['left', 'held'],
  'lock with a timeout': ['left', 'held'],
  'lock with a signal': ['left', 'held'],
  withLock: ['left'],
  lockAll: ['left', 'held'],
  tryLock: ['held', 'left', 'unavailable'],
  'tryLock of a held lock': ['busy', 'held', 'left', 'unavailable'],
  inspect: ['resolved', 'left', 'unavailable'],
  terms: ['ended'],
  observe: ['ended'],
};

/** Begins every call that can wait. The other process holds 'theirs' and leads 'e'. */
function begin(group: Group, round: number): Map<string, Promise<string>> {
  const far = { timeoutMs: 2 ** 30 };
  const calls: readonly (readonly [string, Promise<unknown>])[] = [
    ['lock', group.lock('theirs').then(held)],
    ['lock with a timeout', group.lock('theirs', far).then(held)],
    ['lock with a signal', group.lock('theirs', { signal: new AbortController().signal }).then(held)],
    ['withLock', group.withLock('theirs', far, untilLost)],
    ['lockAll', group.lockAll(['free', 'theirs']).then(held)],
    ['tryLock', group.tryLock(`tried-${round}`, far).then(held)],
    ['tryLock of a held lock', group.tryLock('theirs').then(held)],
    ['inspect', group.inspect()],
    ['terms', loopEnds(group.election('e').terms(), untilLost)],
    ['observe', loopEnds(group.election('e').observe(), () => {})],
  ];
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      (value) => (typeof value === 'string' ? value : 'resolved'),
      (error) => (error instanceof BatonError ? error.code : String(error)),
    );
  return new Map(calls.map(([name, promise]) => [name, outcome(promise)]));
}

const held = (lock: object | null) => (lock === null ? 'busy' : 'held');

const untilLost = ({ signal }: { readonly signal: AbortSignal }) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

async function loopEnds<T>(loop: AsyncIterable<T>, body: (value: T) => unknown): Promise<string> {
  for await (const value of loop) await body(value);
  return 'ended';
}

/** Leaves after this many steps. */
async function leaveAfter(
  seed: number,
  trouble: string,
  steps: number,
  spansMachines: boolean,
): Promise<void> {
  const world = new SteppedWorld(seed, spansMachines);
  const [theirs, ours] = [world.group(), world.group()];
  await world.until(theirs.join(undefined));
  await world.until(ours.join(undefined));
  await world.until(theirs.lock('theirs'));
  await world.until(theirs.election('e').terms().next());
  const own = await world.until(ours.lock('ours'));
  const joinedLate: string[] = [];
  ours.on('joined', () => {
    if (ours.state === 'left') joinedLate.push(ours.id);
  });
  let calls = [begin(ours, 1)];
  for (let i = 0; i < steps; i += 1) {
    if (i === 5) troubles[trouble]!(world, ours);
    if (i === 20) calls = [...calls, begin(ours, 2)]; // others, while it may be out of the group
    await world.step();
  }
  const leaving = ours.leave({ drainMs: seed % 2 === 0 ? 0 : 50 });
  expect(ours.state).toBe('left');
  const late = begin(ours, 3);
  for (const [name, promise] of [...calls.flatMap((each) => [...each]), ...late])
    expect(allowed[name], name).toContain(await world.until(promise, 50));
  for (const [name, promise] of late)
    if (!['terms', 'observe'].includes(name)) expect(await promise).toBe('left');
  await world.until(leaving);
  expect([own.state, joinedLate]).toEqual(['lost', []]);
  expect(['left', 'lost']).toContain(own.signal.reason.code);
  world.isEngineAway = false;
  await world.until(theirs.leave());
  expect([vi.getTimerCount(), world.openTransports, world.openEngines]).toEqual([0, 0, 0]);
}

const mostSteps = 80; // by then it is in the group again, and its calls wait
const seeds = Array.from({ length: seedsOf(10) }, (_, seed) => seed);

describe.each(Object.keys(troubles))('%s, and it leaves', (trouble) => {
  test.each([
    ['one machine', false],
    ['several machines', true],
  ])('at any step: every call settles, and no timer or connection stays, on %s', async (_, spansMachines) => {
    for (const seed of seeds)
      for (let steps = 0; steps <= mostSteps; steps += 1)
        await leaveAfter(seed, trouble, steps, spansMachines).catch((error) => {
          throw new Error(`seed ${seed}, after ${steps} steps: ${error.message}`, { cause: error });
        });
  });
});

test('a loop over terms that is stopped while it wins yields no term, and does not keep the lock', async () => {
  for (const seed of seeds)
    for (const end of ['signal', 'leave'])
      for (let steps = 0; steps <= 30; steps += 1) {
        const world = new SteppedWorld(seed, false);
        const [low, high] = [world.group(), world.group(1)]; // the winner asks the other one, which has a higher priority
        await world.until(low.join(undefined));
        await world.until(high.join(undefined));
        const stop = new AbortController();
        let isWon = false;
        const next = low.election('e').terms({ signal: stop.signal }).next();
        next.then(({ done }) => {
          isWon = done === false;
        });
        for (let i = 0; i < steps; i += 1) await world.step();
        const wasWon = isWon;
        const leaving = end === 'leave' ? low.leave() : stop.abort();
        const { value: term, done } = await world.until(next);
        expect(done, `seed ${seed}, ${end} after ${steps} steps`).toBe(!wasWon);
        if (term) expect(term.signal.aborted).toBe(true);
        await term?.resign();
        const { value: taken } = await world.until(high.election('e').terms().next());
        expect(taken!.state).toBe('held');
        await Promise.all(
          [high.leave(), low.leave(), leaving].map((each) => world.until(Promise.resolve(each))),
        );
        expect([vi.getTimerCount(), world.openTransports, world.openEngines]).toEqual([0, 0, 0]);
      }
});

/** Whether the holder of the only lock lets it go with this frame: in its run, or to the home. */
const handsOn = (frame: Frame): boolean =>
  frame.type === 'step' ||
  (frame.type === 'idle' && frame.locks.some(({ last }) => last !== null)) ||
  (frame.type === 'stopped' && frame.claim !== 'lock') ||
  (frame.type === 'start' && !frame.isHeld);

test('no message hands a lock on before code that waits for its signal has stopped', async () => {
  let handovers = 0;
  for (const seed of seeds) {
    const world = new SteppedWorld(seed, false);
    const [ours, theirs] = [world.group(), world.group()];
    await world.until(ours.join(undefined));
    await world.until(theirs.join(undefined));
    const lock = await world.until(ours.lock('a'));
    let isRequested = false;
    world.onSend = (from, { type }) => {
      isRequested ||= from === theirs.id && type === 'step';
    };
    const next = theirs.lock('a');
    while (!isRequested) await world.step();
    for (let i = 0; i < 20; i += 1) await world.step(); // the request is there
    const order: string[] = [];
    const working = (async () => {
      await untilLost(lock);
      for (let i = 0; i < 10; i += 1) await null; // as code does that awaits some calls deep
      order.push('stopped');
    })();
    world.onSend = (from, frame) => {
      if (from === ours.id && handsOn(frame)) order.push('handed on');
    };
    const leaving = ours.leave();
    await world.until(next);
    expect(order[0]).toBe('stopped');
    if (order.includes('handed on')) handovers += 1; // else it left the view first
    await Promise.all([working, leaving, theirs.leave()].map((each) => world.until(each)));
  }
  expect(handovers).toBeGreaterThan(0);
});
