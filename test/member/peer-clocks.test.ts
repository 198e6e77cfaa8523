import { describe, expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import { nextPeerToPing, type PeerClock, PeerClocks } from '../../src/member/index.ts';
import { EventQueue } from '../cluster/simulation/event-queue.ts';
import { SimulatedProcess } from '../cluster/simulation/simulated-process.ts';
import { view } from './member-harness.ts';

/** Two computers. The first pings the second repeatedly. */
class Pair {
  readonly agenda = new EventQueue();
  readonly random: Random;
  readonly rate: number; // of the second's clock against the first's
  readonly first: SimulatedProcess;
  readonly second: SimulatedProcess;
  readonly seen: PeerClocks;
  readonly #shown: PeerClocks;
  #question = 0;

  constructor(seed: number, rates?: readonly [number, number]) {
    this.random = new Random(seed, 'clocks');
    const rate = () => (this.random.chance(0.3) ? 1 : 1 + (this.random.below(2001) - 1000) / 18_000);
    const [one, other] = rates ?? [rate(), rate()];
    this.rate = other / one - 1;
    this.first = new SimulatedProcess('first', this.agenda, one);
    this.second = new SimulatedProcess('second', this.agenda, other);
    this.seen = new PeerClocks(this.first.clocks);
    this.#shown = new PeerClocks(this.second.clocks);
  }

  get clock(): PeerClock {
    return this.seen.of('second')!;
  }

  get offset(): number {
    return this.second.wall() - this.first.wall();
  }

  pass(milliseconds: number): void {
    this.agenda.after(milliseconds, () => {});
    this.agenda.step();
  }

  /** `asleep`: how long the first computer sleeps while the answer is in transit. */
  exchange(there: number, back: number, asleep = 0): void {
    this.#question += 1;
    this.seen.pingSent('second', this.#question);
    this.pass(there);
    const reading = this.#shown.reading();
    this.pass(back);
    if (asleep > 0) this.sleep(this.first, asleep);
    this.seen.pongReceived('second', this.#question, reading);
  }

  sleep(machine: SimulatedProcess, milliseconds: number): void {
    machine.stop(true);
    this.pass(milliseconds);
    machine.resume(this.random);
  }
}

const isWithin = (truth: number, low: number, high: number) => low - 1e-9 <= truth && truth <= high + 1e-9;

describe('with any delays, rates, pauses, sleeps and clock changes', () => {
  test('offset and rate are within their bounds, in thousands of exchanges', () => {
    let rates = 0;
    for (let seed = 1; seed <= 400; seed += 1) {
      const pair = new Pair(seed);
      const { random } = pair;
      const way = () => (random.chance(0.1) ? 30 : 1) * (random.below(3000) / 1000); // one direction or both are sometimes slow
      const [maySleep, maySet] = [
        [false, false],
        [true, false],
        [false, true],
      ][random.below(3)]!;
      for (let i = 0; i < 25; i += 1) {
        const isAsleep = maySleep && random.chance(0.05);
        pair.exchange(way(), way(), isAsleep ? 1 + random.below(3000) : 0);
        const { offset, error, rate } = pair.clock;
        if (Math.abs(offset - pair.offset) > error + 1e-6)
          expect.fail(`seed ${seed}, exchange ${i}: ${pair.offset} is not ${offset} +- ${error}`);
        if (rate !== null && !isWithin(pair.rate, rate.low, rate.high))
          expect.fail(`seed ${seed}, exchange ${i}: ${pair.rate} is not from ${rate.low} to ${rate.high}`);
        rates += rate === null ? 0 : 1;
        pair.pass(50 + random.below(2000));
        if (maySleep && random.chance(0.1)) {
          pair.sleep(random.chance(0.5) ? pair.first : pair.second, 2 + random.below(3000));
        }
        if (maySet && random.chance(0.1))
          (random.chance(0.5) ? pair.first : pair.second).stepWall(random.below(8000) - 4000);
      }
    }
    expect(rates).toBeGreaterThan(4000);
  });

  test('the bounds are tight: a rate within a few parts per million, an offset within half a round trip and the rounding', () => {
    const pair = new Pair(1, [1, 1 + 50e-6]);
    for (let i = 0; i < 8; i += 1) {
      pair.exchange(0.1, 0.3);
      pair.pass(5000);
    }
    const { error, rate } = pair.clock;
    expect(error).toBeLessThan(1.21);
    expect(rate!.high - rate!.low).toBeLessThan(60e-6);
    expect(isWithin(50e-6, rate!.low, rate!.high)).toBe(true);
  });
});

test('one slow answer among eight does not widen the bounds', () => {
  const pair = new Pair(1, [1, 1]);
  for (let i = 0; i < 7; i += 1) {
    pair.exchange(0.1, 0.1);
    pair.pass(5000);
  }
  pair.exchange(0.1, 400);
  expect(pair.clock.error).toBeLessThan(3);
});

test('a wall clock that was set is believed with the next answer', () => {
  const pair = new Pair(1, [1, 1]);
  for (let i = 0; i < 8; i += 1) {
    pair.exchange(0.2, 0.2);
    pair.pass(5000);
  }
  for (const machine of [pair.second, pair.first]) {
    machine.stepWall(30_000);
    pair.exchange(200, 3); // with a slow answer
    expect(Math.abs(pair.clock.offset - pair.offset)).toBeLessThanOrEqual(pair.clock.error);
    expect(pair.clock.error).toBeLessThan(110);
  }
});

test('a computer that sleeps does not look slow', () => {
  for (const which of ['first', 'second'] as const)
    for (let before = 0; before < 9; before += 1) {
      const pair = new Pair(1, [1, 1]);
      for (let i = 0; i < 12; i += 1) {
        pair.exchange(0.2, 0.2);
        if (pair.clock.rate !== null)
          expect(isWithin(0, pair.clock.rate.low, pair.clock.rate.high)).toBe(true);
        pair.pass(1000);
        if (i === before) pair.sleep(pair[which], 700);
      }
    }
});

test('a busy computer does not look slow: the bounds widen', () => {
  const pair = new Pair(1, [1, 1]);
  for (let i = 0; i < 8; i += 1) {
    pair.exchange(0.1, i < 4 ? 1 : 500); // slow to handle the answer
    pair.pass(1000);
  }
  expect(isWithin(0, pair.clock.rate!.low, pair.clock.rate!.high)).toBe(true);
});

test('a virtual machine that was paused with all its clocks is believed with the next answer', () => {
  const pair = new Pair(1, [1, 1]);
  for (let i = 0; i < 8; i += 1) {
    pair.exchange(0.1, 0.1);
    pair.pass(1000);
  }
  pair.sleep(pair.second, 600);
  pair.second.stepWall(-600);
  pair.exchange(0.1, 50);
  expect(Math.abs(pair.clock.offset - pair.offset)).toBeLessThanOrEqual(pair.clock.error);
  expect(pair.clock.error).toBeLessThan(70);
});

describe('pings', () => {
  const clocks = new PeerClocks({ monotonic: () => 5, wall: () => 100 });
  const reading = { heard: 7, wall: 200, said: 7 };

  test('only the last counts, and once', () => {
    clocks.pingSent('b', 1);
    clocks.pingSent('b', 2);
    expect(clocks.pongReceived('b', 1, reading)).toBe(false);
    expect(clocks.pongReceived('c', 2, reading)).toBe(false);
    expect(clocks.of('b')).toBe(null);
    expect(clocks.pongReceived('b', 2, reading)).toBe(true);
    expect(clocks.pongReceived('b', 2, reading)).toBe(false);
    expect(clocks.of('b')).toMatchObject({ offset: 100, rate: null, at: 5 });
  });

  test('an answer without clocks, or with a time that ran backwards, is ignored', () => {
    clocks.pingSent('d', 3);
    expect(clocks.pongReceived('d', 3, null)).toBe(false);
    expect(clocks.pongReceived('d', 3, { ...reading, said: 6 })).toBe(false);
    expect(clocks.of('d')).toBe(null);
  });

  test('a member that left the view is forgotten', () => {
    clocks.keep(new Set(['a']));
    expect(clocks.of('b')).toBe(null);
  });
});

describe('the next peer to ping', () => {
  const asked = (size: number, turns: number) => {
    const group = view(1, ...Array.from({ length: size }, (_, i) => `m${i}`));
    return Array.from(
      { length: turns },
      (_, turn) => nextPeerToPing(group, size === 1 ? 'm0' : 'm1', turn, 5)?.id,
    );
  };

  test('every peer once per lease, starting with the successor', () => {
    expect(asked(1, 5)).toEqual(Array(5).fill(undefined));
    expect(asked(4, 6)).toEqual(['m2', 'm3', 'm0', undefined, undefined, 'm2']);
  });

  test('in a large view, the next 16 members in turn', () => {
    expect(asked(9, 9)).toEqual(['m2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm0', 'm2']);
    expect(new Set(asked(100, 100)).size).toBe(16);
  });
});

test('readings at the limits of what a frame may carry are survived', () => {
  const most = 2 ** 53;
  for (const heard of [-most, 0, most])
    for (const wall of [-most, 0, most])
      for (const said of [-most, 0, most]) {
        let now = 0;
        const clocks = new PeerClocks({ monotonic: () => now, wall: () => 1.8e12 + now });
        for (let question = 1; question < 12; question += 1) {
          now += 10;
          clocks.pingSent('b', question);
          now += 1;
          clocks.pongReceived(
            'b',
            question,
            question % 2 ? { heard, wall, said } : { heard: 0, wall: 0, said: 0 },
          );
          const clock = clocks.of('b');
          if (clock !== null) expect(Number.isFinite(clock.offset + clock.error)).toBe(true);
        }
      }
});
