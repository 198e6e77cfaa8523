// Elections that never end: eventually one leader, and it stays. In the simulator and in the checker, with algorithms of a few lines.
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { LeaderStability, stableFor, stableWithin } from '../../src/problems/leader-stability.ts';
import { replay, Simulation, simulate } from '../../src/sim/index.ts';

type S = { turn: number };
type P = {
  readonly me: number;
  readonly n: number;
  send(to: number, message: object): void;
  emit(event: object): void;
  after(ticks: number, message: object): void;
};

const stays = 'eventually one leader, and it stays';

/** Every process follows process 0 from the beginning, and a timer goes on forever. */
const steady: AnyAlgorithm = {
  name: 'steady',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'crash', timing: 'bounded' },
  knows: ['me', 'n'],
  bounds: [],
  timers: ['tick'],
  perpetual: true,
  init: (): S => ({ turn: 0 }),
  begin(_s: S, p: P) {
    p.emit({ type: 'elected', leader: 0 });
    p.after(1, { type: 'tick' });
  },
  calls: { start() {} },
  on: { tick: (_s: S, p: P) => p.after(1, { type: 'tick' }) },
};

/** The leader changes with every tick. All processes change it at the same time. */
const fickle: AnyAlgorithm = {
  ...steady,
  name: 'fickle',
  on: {
    tick(s: S, p: P) {
      s.turn = 1 - s.turn;
      p.emit({ type: 'elected', leader: s.turn });
      p.after(1, { type: 'tick' });
    },
  },
};

/** Every process follows itself. */
const selfish: AnyAlgorithm = {
  ...steady,
  name: 'selfish',
  begin(_s: S, p: P) {
    p.emit({ type: 'elected', leader: p.me });
    p.after(1, { type: 'tick' });
  },
};

const crash = (process: number, at: number) => ({ type: 'crash', process, at }) as const;
const fixed = { n: 2, latency: 'fixed:1' }; // a longest delay is two ticks, with handling

describe('a run', () => {
  test('ends when the leader has stayed for a while, and says since when', () => {
    expect(simulate(steady, fixed)).toMatchObject({
      ok: true,
      leader: 0,
      stableSince: 0,
      time: 2 * stableFor,
    });
  });

  test('does not end before the last fault and the last start', () => {
    const run = simulate(steady, {
      ...fixed,
      n: 3,
      faults: [crash(1, 300)],
      start: [{ process: 2, at: 400 }],
    });
    expect(run).toMatchObject({ ok: true, leader: 0, stableSince: 0, time: 400 + 2 * stableFor });
  });

  test.each([
    [selfish, {}, 'in the end process 0 follows 0; process 1 follows 1'],
    [steady, { n: 3, faults: [crash(0, 5)] }, 'in the end processes 1, 2 follow 0, which has crashed'],
    [
      { ...steady, begin: (_s: S, p: P) => p.after(1, { type: 'tick' }) },
      {},
      'in the end processes 0, 1 follow nobody',
    ],
  ])('is violated if it does not settle in time: %#', (algorithm, scenario, why) => {
    const run = simulate(algorithm, { ...fixed, ...scenario });
    expect(run.violations).toEqual([{ property: stays, why }]);
    expect(run.time).toBeGreaterThan(2 * stableWithin);
    expect(run.stableSince).toBeNull();
  });

  test('is violated if the leader changes again and again', () => {
    const { violations } = simulate(fickle, fixed);
    expect(violations).toEqual([
      { property: stays, why: 'in the end process 0 follows 1; process 1 follows 0' },
    ]);
  });

  test('goes on after an intervention', () => {
    const simulation = new Simulation(steady, fixed);
    while (simulation.now < 90) simulation.advance(1);
    expect(simulation.intervene({ do: 'crash', process: 1 })).toBeNull();
    while (simulation.advance(1));
    expect(simulation.result()).toMatchObject({ ok: true, time: 90 + 2 * stableFor });
  });

  test('is judged at its end if nothing is left to happen', () => {
    const silent = (begin: AnyAlgorithm['begin']): AnyAlgorithm => ({
      ...steady,
      name: 'silent',
      ...(begin && { begin }),
    });
    const agreed = silent((_s, p) => p.emit({ type: 'elected', leader: 1 }));
    const split = silent((_s, p) => p.emit({ type: 'elected', leader: p.me }));
    expect(simulate(agreed, fixed)).toMatchObject({ ok: true, leader: 1, time: 0 });
    expect(simulate(split, fixed).violations).toMatchObject([{ property: stays }]);
    expect(check(agreed, { n: 2 })).toMatchObject({ verdict: 'holds' });
    expect(check(split, { n: 2 }).violation).toMatchObject({ property: stays });
  });

  test('has to elect the process that the algorithm promises', () => {
    const largest: AnyAlgorithm = { ...steady, elects: 'largest' };
    expect(simulate(largest, fixed).violations).toMatchObject([{ property: 'the largest wins' }]);
    expect(check(largest, { n: 2 }).violation).toMatchObject({ property: 'the largest wins' });
  });
});

describe('every interleaving', () => {
  const refuted = (algorithm: AnyAlgorithm, options = {}) => {
    const { violation } = check(algorithm, { n: 2 }, options);
    expect(violation).not.toBeNull();
    expect(replay(algorithm, parseTrace(violation!.trace)).ok).toBe(true);
    return violation!;
  };

  test('a leader that stays holds', () => {
    expect(check(steady, { n: 2 })).toMatchObject({ verdict: 'holds', complete: true });
  });

  test('processes that never agree', () => {
    expect(refuted(selfish)).toMatchObject({
      property: stays,
      why: 'again and again, though every message arrives, process 0 follows 0; process 1 follows 1',
    });
  });

  test('processes that agree now and then, but not forever', () => {
    expect(refuted(fickle).property).toBe(stays);
    expect(check(fickle, { n: 2 }, { progress: false })).toMatchObject({ verdict: 'holds' });
  });

  test('processes that follow one that has crashed', () => {
    expect(refuted(steady, { crashes: 1 }).why).toMatch(/process 1 follows 0, which has crashed$/);
  });

  test('processes that follow nobody', () => {
    const silent: AnyAlgorithm = { ...steady, begin: (_s: S, p: P) => p.after(1, { type: 'tick' }) };
    expect(refuted(silent).why).toMatch(/processes 0, 1 follow nobody$/);
  });
});

describe('rounds that grow without end', () => {
  /** Process 0 leads round after round. */
  const renewing: AnyAlgorithm = {
    ...steady,
    name: 'renewing',
    rounds: { field: 'turn', inMessages: 'round', matters: () => true },
    begin: (_s: S, p: P) => p.me === 0 && p.after(2, { type: 'tick' }),
    on: {
      tick(s: S, p: P) {
        s.turn += 1;
        p.emit({ type: 'electing', round: s.turn });
        p.emit({ type: 'elected', leader: 0, round: s.turn });
        p.send(1, { type: 'lead', round: s.turn });
        p.after(3, { type: 'tick' });
      },
      lead(s: S, p: P, m: { round: number }) {
        s.turn = m.round;
        p.emit({ type: 'elected', leader: 0, round: m.round });
      },
    },
  };

  test('are counted from the lowest one, in clients too: the states are finite', () => {
    expect(check(renewing, { n: 2 })).toMatchObject({ verdict: 'holds', complete: true });
    const { rounds: _, ...growing } = renewing;
    expect(check(growing, { n: 2 }, { maxStates: 1000 })).toMatchObject({ verdict: 'incomplete' });
  });

  test('a crashed process is forgotten once its round is over', () => {
    const { verdict, violation } = check(renewing, { n: 2 }, { crashes: 1 });
    expect({ verdict, property: violation?.property }).toEqual({ verdict: 'violated', property: stays }); // process 0 crashes
  });

  test('a second leader of a round is found, and the round is the one of the run', () => {
    const usurping: AnyAlgorithm = {
      ...renewing,
      on: {
        ...renewing.on,
        lead(s: S, p: P, m: { round: number }) {
          s.turn = m.round;
          p.emit({ type: 'elected', leader: m.round < 4 ? 0 : 1, round: m.round });
        },
      },
    };
    const { rounds: _, ...exact } = usurping;
    expect(check(exact as AnyAlgorithm, { n: 2 }).violation?.why).toBe(
      'in round 4 process 0 has leader 0, process 1 has leader 1',
    );
  });
});

test('stability: a leader that is followed before the last fault counts from the fault on', () => {
  const stability = new LeaderStability(10, 100);
  stability.follow(3, 20);
  expect([stability.since, stability.isOver(599), stability.isOver(600)]).toEqual([20, false, true]);
  stability.disturbed(200);
  expect([stability.isOver(699), stability.isOver(700)]).toEqual([false, true]);
  stability.follow(null, 650);
  expect([stability.since, stability.isOver(10_200), stability.isOver(10_201)]).toEqual([null, false, true]);
});
