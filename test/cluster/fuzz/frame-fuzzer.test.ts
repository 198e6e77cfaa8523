// A member in good standing sends frames that no working member sends. Every one is refused and counted, nothing throws, no second member
// holds a lock, memory is bounded, and the group recovers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../../src/algorithms/index.ts';
import type { Frame } from '../../../src/cluster/transport/transport.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { fenceOf, type MemberId, type View } from '../../../src/member/index.ts';
import { homesOf, slotCount, slotOf } from '../../../src/member/slots.ts';
import { seedsOf, thorough } from '../../tiers.ts';
import { bytesOf, FuzzedGroup, packed, type RealFrame } from './fuzzed-group.ts';
import { wrongFrames } from './wrong-frames.ts';

const locks = algorithms.filter(({ problem }) => problem === 'mutex');
const ids = ['a', 'b', 'c'];
const names = ['x', 'y'];

const name = fc.constantFrom('x', 'y', 'z', '', 'constructor', '__proto__', '\u001b[31m', 'x'.repeat(1000));
const number = fc.oneof(
  fc.nat({ max: 5 }),
  fc.constantFrom(999, 1000, 1001, 2 ** 31, 2 ** 33 - 1, 2 ** 53 - 1),
);
const algorithm = fc.constantFrom(...locks.map((one) => one.name), 'raymond+chandy-lamport', 'toString', 'x');
const held = fc.record({ lock: name, algorithm, fence: number, by: number });
const list = <T>(items: fc.Arbitrary<T>) => fc.array(items, { maxLength: 3 });

/** Frames that may be right or wrong, but can never pass a lock on. `epoch` is relative to the view. */
const harmless = fc.oneof(
  fc.record({ type: fc.constant('view'), epoch: number }),
  fc.record({ type: fc.constant('conflict'), lock: fc.constant('z'), algorithm }),
  fc.record({ type: fc.constantFrom('probe', 'busy'), lock: name, attempt: number }),
  fc.record({ type: fc.constant('leads'), election: name, term: number, ends: fc.boolean() }),
  fc.record({ type: fc.constant('hail'), isAnswer: fc.boolean() }),
  fc.record({ type: fc.constant('refresh'), epoch: fc.constant(0) }),
  fc.record({ type: fc.constant('begin'), epoch: fc.constant(0), lock: fc.constant('z'), algorithm }),
  fc.record({ type: fc.constant('agree'), epoch: fc.constant(0), lock: name }),
  fc.record({ type: fc.constant('marker'), epoch: fc.constant(0), by: fc.nat({ max: 2 }), number }),
  fc.record({
    type: fc.constantFrom('part', 'part-piece'),
    epoch: fc.constant(0),
    number,
    locks: list(
      fc.record({
        ...{ lock: name, algorithm, root: fc.nat({ max: 2 }) },
        ...{ isHeld: fc.boolean(), hasToken: fc.boolean(), waiting: number },
      }),
    ),
    tokens: list(fc.record({ lock: name, algorithm, from: fc.nat({ max: 2 }), to: fc.nat({ max: 2 }) })),
  }),
  fc.record({
    type: fc.constantFrom('recorded', 'recorded-piece'),
    epoch: fc.constant(0),
    number,
    locks: list(
      fc.record({
        ...{ lock: name, algorithm, run: number, size: number },
        ...{ isHeld: fc.boolean(), hasToken: fc.boolean(), waiting: number },
      }),
    ),
    tokens: list(fc.record({ lock: name, run: number, from: fc.nat({ max: 2 }), to: fc.nat({ max: 2 }) })),
  }),
  fc.record({
    ...{ type: fc.constant('want'), epoch: fc.constant(0), lock: fc.constant('z'), algorithm },
    ...{ over: number, isWaiting: fc.boolean() },
  }),
  fc.record({
    ...{ type: fc.constant('stopped'), run: number, lock: name, algorithm: fc.option(algorithm) },
    ...{ claim: fc.constantFrom('none', 'token', 'lock'), closes: number, last: number },
    ...{ isWaiting: fc.constant(false), isUsing: fc.boolean() },
  }),
  fc.record({ type: fc.constant('sync'), epoch: fc.constant(0), slots: list(fc.nat({ max: 999 })) }),
  fc.record({
    ...{
      type: fc.constant('report'),
      epoch: fc.constant(0),
      slots: fc.constant([]),
      isLast: fc.constant(false),
    },
    locks: list(fc.record({ lock: name, parts: list(number.filter((at) => at < 1000)), latest: number })),
  }),
  fc.record({
    type: fc.constant('idle'),
    epoch: fc.constant(0),
    locks: list(fc.record({ lock: fc.constant('z'), run: number, last: fc.option(number), closes: number })),
  }),
  fc.record({ type: fc.constant('noted'), epoch: fc.constant(0), locks: list(name) }),
  fc.record({ type: fc.constant('over'), run: number, lock: name }),
  fc.record({ type: fc.constant('opened'), run: number, lock: name }),
  fc.record({ type: fc.constant('gap') }),
  fc.record({ type: fc.constantFrom('poll', 'polled'), epoch: fc.constant(0) }),
  // For a view that does not exist, of every kind: kept or dropped.
  fc.record({
    type: fc.constant('want'),
    epoch: fc.constant(50),
    lock: name,
    algorithm,
    over: number,
    isWaiting: fc.boolean(),
  }),
  fc.record({ type: fc.constant('open'), epoch: fc.constant(50), lock: name }),
  fc.record({ type: fc.constantFrom('install', 'install-piece'), epoch: fc.constant(50), held: list(held) }),
);

/** Frames of other kinds than messages of a run that no working member sends, to a member whose view is installed. */
const misplaced = fc.oneof(
  fc.record({
    type: fc.constantFrom('flush', 'flush-piece'),
    epoch: fc.constant(0),
    held: list(held.map(({ by: _, ...rest }) => rest)),
  }),
  fc.record({ type: fc.constantFrom('install', 'install-piece'), epoch: fc.constant(0), held: list(held) }),
  fc.record({ type: fc.constant('open'), epoch: fc.constant(0), lock: fc.constant('never held') }),
  fc.record({ type: fc.constant('marker'), epoch: fc.constant(0), by: fc.constantFrom(3, 4, 999), number }),
  fc.record({
    type: fc.constantFrom('part', 'part-piece'),
    epoch: fc.constant(0),
    number,
    locks: fc.constant([
      { lock: 'x', algorithm: 'raymond', root: 3, isHeld: true, hasToken: true, waiting: 1 },
    ]),
    tokens: fc.constant([]),
  }),
  fc.record({
    type: fc.constantFrom('part', 'part-piece'),
    epoch: fc.constant(0),
    number,
    locks: fc.constant([]),
    tokens: fc.constantFrom(
      [{ lock: 'x', algorithm: 'raymond', from: 3, to: 0 }],
      [{ lock: 'x', algorithm: 'raymond', from: 0, to: 999 }],
    ),
  }),
);

/** The same of the messages between members and homes. */
function misplacedOfHomes({ epoch, members, algorithm }: View, from: MemberId): object[] {
  const homes = homesOf({ epoch, members, algorithm });
  const nameOf = (is: (home: MemberId) => boolean) => {
    for (let k = 0; ; k += 1) if (is(homes[slotOf(`never used ${k}`)]!)) return `never used ${k}`;
  };
  const [own, foreign] = [nameOf((home) => home === from), nameOf((home) => home !== from)];
  const run = fenceOf(epoch, 2 ** 16);
  const all = [0, 1, 2];
  const start = {
    type: 'start',
    run,
    lock: own,
    algorithm,
    members: all,
    unanswered: [],
    root: 0,
    isHeld: false,
    last: 0,
  };
  const beyond = fenceOf(epoch + 1, 0);
  const recorded = { type: 'recorded', epoch, number: 1, locks: [] };
  return [
    { type: 'stop', run, lock: foreign },
    { ...start, lock: foreign },
    ...[[3], [0, 1, 2, 999], [1, 1], [0, 0, 2]].map((wrong) => ({ ...start, members: wrong })),
    { ...start, unanswered: [3] },
    ...[3, 999].map((root) => ({ ...start, root })),
    ...[beyond, 2 ** 53 - 1].map((last) => ({ ...start, last })),
    { ...start, algorithm: null },
    { ...start, algorithm: 'toString' },
    { type: 'report', epoch, slots: [], locks: [{ lock: own, parts: [3], latest: 0 }], isLast: true },
    { type: 'report', epoch, slots: [slotCount], locks: [], isLast: true },
    { type: 'idle', epoch, locks: [{ lock: 'z', run, last: beyond, closes: 0 }] },
    {
      ...{ type: 'stopped', run, lock: own, algorithm, claim: 'none', closes: 0, last: 2 ** 53 - 1 },
      ...{ isWaiting: false, isUsing: false },
    },
    { ...recorded, tokens: [{ lock: 'x', run, from: 3, to: 0 }] },
    { ...recorded, type: 'recorded-piece', tokens: [{ lock: 'x', run, from: 0, to: 999 }] },
    ...['open', 'agree'].map((type) => ({ type, epoch, lock: 'x' })),
    { type: 'begin', epoch, lock: 'x', algorithm },
    {
      type: 'run',
      epoch,
      lock: 'x',
      algorithm: null,
      entry: 0,
      as: 0,
      stamp: null,
      message: { type: 'request' },
    },
  ];
}

const move = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('step' as const), times: fc.nat({ max: 10 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      by: fc.constantFrom(...ids),
      lock: fc.constantFrom(...names),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('release' as const), lock: fc.constantFrom(...names) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wrong' as const), variant: fc.nat(), which: fc.nat() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('misplaced' as const),
      frame: misplaced,
      from: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('misplaced of homes' as const),
      which: fc.nat(),
      from: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('harmless' as const),
      frame: harmless,
      from: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('bytes' as const),
      bytes: fc.uint8Array({ maxLength: 40 }),
      from: fc.nat({ max: 1 }),
    }),
  },
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** Sends frames to one member, the victim, in the name of the others. */
class Fuzzer {
  readonly group: FuzzedGroup;
  readonly #algorithm: AnyAlgorithm;
  readonly #victim: MemberId;
  readonly #isOld: boolean;
  refused = 0;

  constructor(algorithm: AnyAlgorithm, seed: number, isOld: boolean) {
    this.#algorithm = algorithm;
    this.#isOld = isOld;
    this.#victim = ids[seed % ids.length]!;
    this.group = new FuzzedGroup(algorithm.name, ids, seed, isOld);
    this.group.settle();
  }

  play(one: Move): void {
    const { group } = this;
    if (one.do === 'step') for (let k = 0; k < one.times; k += 1) group.step();
    else if (one.do === 'request') group.request(one.by, one.lock);
    else if (one.do === 'release') group.release(one.lock);
    else if (one.do === 'wrong') this.#playWrong(one.which, one.variant);
    else if (one.do === 'misplaced') this.#sendMisplaced(one.frame, this.#peer(one.from));
    else if (one.do === 'misplaced of homes') this.#sendMisplacedOfHomes(one.which, this.#peer(one.from));
    else if (one.do === 'harmless') this.#inject(this.#peer(one.from), bytesOf(this.#body(one.frame)));
    else this.#inject(this.#peer(one.from), withLength(Buffer.from(one.bytes)));
  }

  /** The other two members, and a stranger. */
  #peer(index: number): MemberId {
    return [...ids.filter((id) => id !== this.#victim), 'stranger'][index]!;
  }

  get #isVictimReady(): boolean {
    const { member } = this.group.at(this.#victim);
    return member.isInstalled && member.view!.epoch === this.group.view.epoch;
  }

  /** The real messages of runs that the victim got: the last of each kind from each sender. */
  real(): { readonly from: MemberId; readonly frame: RealFrame }[] {
    return [...this.group.seen]
      .map(([key, frame]) => ({ from: key.split(' ')[0]!, to: key.split(' ')[1]!, frame }))
      .filter(({ to }) => to === this.#victim);
  }

  /** All frames with one mistake that are made from this one, for the present run. None if the victim is not in a run of all members. */
  wrongFrom(real: RealFrame): object[] {
    const run = this.group.at(this.#victim).member.locks.get(real.lock)?.run;
    if (real.type === 'run')
      return wrongFrames({ ...real, epoch: this.group.view.epoch }, this.#algorithm, ids.length);
    if (run?.members.length !== ids.length) return [];
    return wrongFrames({ ...real, run: run.number }, this.#algorithm, ids.length);
  }

  #playWrong(which: number, variant: number): void {
    const real = this.real();
    const one = real[which % Math.max(1, real.length)];
    if (one === undefined || !this.#isVictimReady) return;
    const all = this.wrongFrom(one.frame);
    if (all.length === 0) return;
    const wrong = all[variant % (all.length + 2)];
    if (wrong !== undefined) this.sendWrong(one.from, wrong);
    else {
      const body = bytesOf(packed(one.frame)).subarray(4);
      const changed = variant % 2 === 0 ? body.subarray(0, -1) : Buffer.concat([body, Buffer.from([0])]);
      this.#expectRefused(one.from, withLength(changed), () => 'another length');
    }
  }

  sendWrong(from: MemberId, frame: object): void {
    this.#expectRefused(from, bytesOf(packed(frame as Frame)), () => JSON.stringify(frame));
  }

  #sendMisplaced(frame: object, from: MemberId): void {
    if (this.#isVictimReady)
      this.#expectRefused(from, bytesOf(this.#body(frame)), () => JSON.stringify(frame));
  }

  #sendMisplacedOfHomes(which: number, from: MemberId): void {
    if (!this.#isVictimReady || this.#isOld) return;
    const all = misplacedOfHomes(this.group.view, from);
    const frame = all[which % all.length]!;
    this.#expectRefused(from, bytesOf(packed(frame as Frame)), () => JSON.stringify(frame));
  }

  #expectRefused(from: MemberId, bytes: Buffer, what: () => string): void {
    const { dropped } = this.group.at(this.#victim);
    const before = dropped.length;
    this.#inject(from, bytes);
    const why = dropped[before];
    if (why === undefined) this.group.failed(`not refused: ${what()}`);
    else if (why !== 'after a gap') this.refused += 1; // everything is dropped after a gap
  }

  #body(frame: object): unknown[] {
    const { epoch } = frame as { epoch?: number };
    const now = this.group.view.epoch;
    const absolute = epoch === undefined ? frame : { ...frame, epoch: now + epoch };
    return packed(absolute as Frame);
  }

  #inject(from: MemberId, bytes: Buffer): void {
    try {
      this.group.at(this.#victim).bytesArrived(from, bytes);
    } catch (error) {
      this.group.failed(`thrown: ${(error as Error).stack}`);
    }
  }
}

/** The member that hears what the tests below send. */
const victim = 'a';

function withLength(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function fuzz(algorithm: AnyAlgorithm, runs: number, seed: number, isOld = false): number {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(move, { minLength: 60, maxLength: 120, size: 'max' }), fc.nat(), (moves, order) => {
      const fuzzer = new Fuzzer(algorithm, order, isOld);
      for (const one of moves) fuzzer.play(one);
      const isServed = fuzzer.group.settle();
      refused += fuzzer.refused;
      expect(fuzzer.group.failures).toEqual([]);
      expect(isServed, 'every request is served').toBe(true);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  return refused;
}

describe.each(locks.map((one) => [one.name, one] as const))('%s', (_, algorithm) => {
  test.each([
    ['', false],
    [', in a view with members of an older version', true],
  ])('refuses every wrong message, and serves every request afterwards%s', (_, isOld) => {
    const kinds = new Set<string>();
    let sent = 0;
    let refused = 0;
    for (let seed = 0; seed < 3; seed += 1) {
      const fuzzer = new Fuzzer(algorithm, seed, isOld);
      const { group } = fuzzer;
      const use = () => {
        for (const by of ids) for (const lock of names) group.request(by, lock);
        return group.settle();
      };
      for (let round = 0; round < 5; round += 1) use();
      for (const { from, frame } of fuzzer.real()) {
        if (kinds.has(frame.message.type)) continue;
        kinds.add(frame.message.type);
        for (const [k] of fuzzer.wrongFrom(frame).entries()) {
          sent += 1;
          for (let tries = 0; fuzzer.refused + refused < sent && tries < 9; tries += 1) {
            const wrong = fuzzer.wrongFrom(frame)[k];
            if (wrong !== undefined) fuzzer.sendWrong(from, wrong);
            expect(use(), 'every request is served').toBe(true);
          }
        }
      }
      refused += fuzzer.refused;
      expect(group.failures).toEqual([]);
    }
    expect(kinds.size).toBeGreaterThan(0);
    expect(refused).toBe(sent);
  });

  test('refuses what no working member sends', () => {
    expect(fuzz(algorithm, 25, 1)).toBeGreaterThan(100);
  });

  test('refuses what no working member sends, in a view with members of an older version', () => {
    expect(fuzz(algorithm, 10, 1, true)).toBeGreaterThan(40);
  });

  thorough('refuses what no working member sends, in many runs', () => {
    for (let seed = 2; seed < 2 + seedsOf(2); seed += 1) fuzz(algorithm, 100, seed);
  });
});

describe('a member keeps little', () => {
  const flood = (from: MemberId, count: number, frame: (k: number) => Frame) => {
    const group = new FuzzedGroup('naimi-trehel', ids, 1);
    group.settle();
    const before = group.at(victim).member.retainedCount;
    for (let k = 0; k < count; k += 1) group.at(victim).bytesArrived(from, bytesOf(packed(frame(k))));
    return { group, kept: group.at(victim).member.retainedCount - before };
  };
  const early = (): Frame => ({ type: 'open', epoch: 2000, lock: 'x'.repeat(1000) });

  test.each(['b', 'stranger'])('of what arrives early from %s', (from) => {
    const { group, kept } = flood(from, 3000, early);
    expect(kept).toBeGreaterThan(500);
    expect(kept).toBeLessThan(1100);
    expect(group.at(victim).dropped).toContain('too early');
  });

  test('of what arrives early from very many', () => {
    const group = new FuzzedGroup('naimi-trehel', ids, 1);
    group.settle();
    for (let k = 0; k < 3000; k += 1)
      group.at(victim).bytesArrived(`stranger ${k}`, bytesOf(packed(early())));
    expect(group.at(victim).member.retainedCount).toBeLessThan(1100);
  });

  test('of snapshots that it did not ask for', () => {
    const { kept } = flood('b', 3000, (number) => ({
      type: 'marker',
      epoch: 1000,
      by: 1,
      number: number + 1,
    }));
    expect(kept).toBeLessThanOrEqual(16);
  });

  test('and forgets what strangers sent, two views later', () => {
    const { group, kept } = flood('stranger', 10, early);
    expect(kept).toBe(10);
    for (let k = 0; k < 2; k += 1) {
      group.at('b').member.requestNewEpoch();
      group.settle();
      for (let steps = 0; steps < 100; steps += 1) group.step();
    }
    expect(group.at(victim).member.retainedCount).toBe(0);
  });
});

describe('a view change with members of an older version', () => {
  const withHolder = () => {
    const group = new FuzzedGroup('naimi-trehel', ids, 1, true);
    group.settle();
    group.request('b', 'x');
    while (group.step() && group.at('b').member.locks.get('x')?.isHeld !== true);
    return group;
  };

  test.each([
    ['b, if the other claim is newer,', fenceOf(1000, 77), ['b is out: forgotten']],
    ['nobody else, if the other claim is older,', fenceOf(999, 77), []],
  ])('in which two members claim a lock makes %s leave', (_, fence, failures) => {
    const group = withHolder();
    const { member } = group.at('a');
    member.viewChanged({ ...group.view, epoch: 1001 });
    const claim = { lock: 'x', algorithm: 'naimi-trehel', fence };
    group.at('a').bytesArrived('c', bytesOf(packed({ type: 'flush', epoch: 1001, held: [claim] })));
    group.at('b').member.viewChanged({ ...group.view, epoch: 1001 });
    for (let steps = 0; steps < 100; steps += 1) group.step();
    expect(group.failures).toEqual(failures);
    expect(group.at('a').dropped).toContain('malformed');
  });

  test.each<[string, Frame & { type: 'install' }]>([
    ['names a lock twice', install('y', 'y')],
    [
      'names a position outside the view',
      { ...install(), held: [{ lock: 'y', algorithm: 'raymond', fence: 1, by: 3 }] },
    ],
    [
      'has a fence of this view',
      { ...install(), held: [{ lock: 'y', algorithm: 'raymond', fence: fenceOf(1001, 1), by: 0 }] },
    ],
  ])('whose install %s is refused', (_, frame) => {
    const group = withHolder();
    const { member, dropped } = group.at('c');
    member.viewChanged({ ...group.view, epoch: 1001 });
    group.at('c').bytesArrived('a', bytesOf(packed(frame)));
    expect([member.isInstalled, dropped]).toEqual([false, ['malformed']]);
    expect(group.failures).toEqual([]);
  });

  test('whose install does not name a lock that a member holds makes it leave: another may enter', () => {
    const group = withHolder();
    group.at('b').member.viewChanged({ ...group.view, epoch: 1001 });
    group.at('b').bytesArrived('a', bytesOf(packed(install())));
    expect(group.failures).toEqual(['b is out: forgotten']);
  });

  test('is not opened by a member that did not hold the lock', () => {
    const group = withHolder();
    const { member, dropped } = group.at('c');
    member.viewChanged({ ...group.view, epoch: 1001 });
    const held = [{ lock: 'x', algorithm: 'lamport', fence: 1, by: 1 }];
    group.at('c').bytesArrived('a', bytesOf(packed({ type: 'install', epoch: 1001, held })));
    group.at('c').bytesArrived('a', bytesOf(packed({ type: 'open', epoch: 1001, lock: 'x' })));
    expect(dropped).toEqual(['malformed']);
  });
});

function install(...names: string[]): Frame & { type: 'install' } {
  const held = names.map((lock, by) => ({ lock, algorithm: 'raymond', fence: 1, by }));
  return { type: 'install', epoch: 1001, held };
}
