// A member in good standing sends frames that no working member sends. Every one is refused and counted, nothing throws, no second member
// holds a lock, memory is bounded, and the group recovers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../../src/algorithms/index.ts';
import type { Frame } from '../../../src/cluster/transport/transport.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { fenceOf, type MemberId } from '../../../src/member/index.ts';
import { thorough } from '../../tiers.ts';
import { bytesOf, FuzzedGroup, packed } from './fuzzed-group.ts';
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
  // For a view that does not exist, of every kind: kept or dropped.
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
  refused = 0;

  constructor(algorithm: AnyAlgorithm, seed: number) {
    this.#algorithm = algorithm;
    this.#victim = ids[seed % ids.length]!;
    this.group = new FuzzedGroup(algorithm.name, ids, seed);
    this.group.settle();
  }

  play(one: Move): void {
    const { group } = this;
    if (one.do === 'step') for (let k = 0; k < one.times; k += 1) group.step();
    else if (one.do === 'request') group.request(one.by, one.lock);
    else if (one.do === 'release') group.release(one.lock);
    else if (one.do === 'wrong') this.#playWrong(one.which, one.variant);
    else if (one.do === 'misplaced') this.#sendMisplaced(one.frame, this.#peer(one.from));
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
  real(): { readonly from: MemberId; readonly frame: Frame & { type: 'run' } }[] {
    return [...this.group.seen]
      .map(([key, frame]) => ({ from: key.split(' ')[0]!, to: key.split(' ')[1]!, frame }))
      .filter(({ to }) => to === this.#victim);
  }

  wrongFrom(real: Frame & { type: 'run' }): object[] {
    return wrongFrames({ ...real, epoch: this.group.view.epoch }, this.#algorithm, ids.length);
  }

  #playWrong(which: number, variant: number): void {
    const real = this.real();
    const one = real[which % Math.max(1, real.length)];
    if (one === undefined || !this.#isVictimReady) return;
    const all = this.wrongFrom(one.frame);
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
    const absolute = epoch === undefined ? frame : { ...frame, epoch: this.group.view.epoch + epoch };
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

function fuzz(algorithm: AnyAlgorithm, runs: number, seed: number): number {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(move, { minLength: 60, maxLength: 120, size: 'max' }), fc.nat(), (moves, order) => {
      const fuzzer = new Fuzzer(algorithm, order);
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
  test('refuses every wrong message, and serves every request afterwards', () => {
    const kinds = new Set<string>();
    let sent = 0;
    let refused = 0;
    for (let seed = 0; seed < 3; seed += 1) {
      const fuzzer = new Fuzzer(algorithm, seed);
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
            fuzzer.sendWrong(from, fuzzer.wrongFrom(frame)[k]!);
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

  thorough('refuses what no working member sends, in many runs', () => {
    for (let seed = 2; seed < 12; seed += 1) fuzz(algorithm, 100, seed);
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

describe('a view change', () => {
  const withHolder = () => {
    const group = new FuzzedGroup('naimi-trehel', ids, 1);
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
