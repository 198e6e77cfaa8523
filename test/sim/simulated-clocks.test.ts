// The clocks of a run: hardware clocks that drift, and the shown clocks.
import { expect, test } from 'vitest';
import { cristian, lamport } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import { eventLine, parseTrace } from '../../src/core/trace.ts';
import { ClockMonitor, clocksTooFarApart } from '../../src/problems/clock-monitor.ts';
import {
  setupFields as fieldsOf,
  parseScenario,
  prepare,
  SimulatedClocks,
  simulate,
} from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';

const clockConfig = { offsets: [5, -7], drifts: [100, -5000], drift: 5000, slew: 100_000, rounds: 1 };
const told = (offset: number, within = 0) => ({ offset, within });

test('hardware clocks count whole nanoseconds, from their offsets and at their rates', () => {
  const clocks = new SimulatedClocks(clockConfig);
  expect(clocks.hardware(0, 0)).toBe(5_000_000);
  expect(clocks.hardware(0, 1000)).toBe(5_000_000 + 1_000_100_000);
  expect(clocks.hardware(1, 1000)).toBe(-7_000_000 + 995_000_000);
});

test('a correction proceeds at the given rate, and no clock runs backwards', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = new Random(seed, 'corrections');
    const slew = [500, 100_000, 999_999][random.below(3)]!;
    const clocks = new SimulatedClocks({ ...clockConfig, slew });
    let before = clocks.read(1, 0);
    let settles = 0;
    for (let time = 1; time < 300; time += 1) {
      const now = clocks.read(1, time);
      const passed = now.hardware - before.hardware;
      const worked = Math.abs(now.shown - before.shown - passed);
      expect(now.shown).toBeGreaterThanOrEqual(before.shown);
      expect(worked).toBeLessThanOrEqual((passed * slew) / 1e6 + 1e-6);
      expect(now.isSettled || time < settles).toBe(true);
      before = now;
      if (random.below(20) === 0)
        settles = clocks.adjust(1, time, told(random.below(20_000_000) - 10_000_000.5));
      expect(clocks.read(1, time).shown).toBe(now.shown);
    }
  }
});

test('a clock that is stepped instead of slewed may run backwards', () => {
  const clocks = new SimulatedClocks({ ...clockConfig, slew: Infinity });
  const before = clocks.read(0, 10).shown;
  expect(clocks.adjust(0, 10, told(-3_000_000))).toBe(10);
  expect(clocks.read(0, 10).shown).toBe(before - 3_000_000);
});

test('the monitor detects a broken promise, also one broken by drift', () => {
  const clocks = new SimulatedClocks({ ...clockConfig, offsets: [0, 0], drifts: [0, 100] });
  let time = 0;
  const monitor = new ClockMonitor(
    {
      n: 2,
      root: 0,
      synchronises: { to: 'root', begins: 'others' },
      drift: 0.00005,
      longestDelay: 0,
      lies: () => false,
    },
    {
      read: (i) => clocks.read(i, time),
      adjust: (i, adjustment) => void clocks.adjust(i, time, adjustment),
    },
  );
  monitor.called(0);
  monitor.called(1);
  expect(monitor.begun).toBe(1);
  expect(monitor.whenQuiescent()[0]!.property).toBe('who is to be synchronised is');
  expect(monitor.emitted(1, { type: 'adjust', offset: 0, within: 10 })).toBeNull();
  expect(monitor.whenQuiescent()).toEqual([]);
  time = 1;
  expect(monitor.settled(1)).toEqual(clocksTooFarApart(1, 0, 100, 10 + 0.00005 * 1_000_100));
});

test('the scenario survives the head of a trace', () => {
  const scenario = {
    n: 3,
    slow: [
      { between: [0, 1] as const, ticks: 5 },
      { between: [2, 0] as const, ticks: 7, oneWay: true },
    ],
    faults: [{ type: 'lie' as const, process: 1, at: 4, by: -20 }],
    offsets: [1, 2, 3],
    drifts: [4, -5, 6],
    drift: 7,
    slew: 'step' as const,
    rounds: 2,
    think: 'fixed:3',
  };
  const fields = fieldsOf(prepare(cristian, scenario));
  expect(fields).toMatchObject({ slow: '0-1:5,2:0:7', lie: '1@4:-20', slew: 'step', rounds: '2' });
  expect(fieldsOf(prepare(cristian, parseScenario(fields)))).toEqual(fields);
  expect(fieldsOf(prepare(lamport, { n: 2 }))).not.toHaveProperty('offsets');
});

test('readings are in the trace', () => {
  const text = traceOf(cristian, { n: 2, seed: 3 });
  const trace = parseTrace(text);
  const read = trace.events.flatMap(({ outputs }) => outputs.filter(({ kind }) => kind === 'clock'));
  expect(read.length).toBeGreaterThan(8);
  for (const event of trace.events) expect(text).toContain(`${eventLine(event)}\n`);
});

test('with equal drifts and delays no clock is off', () => {
  const { clocks } = simulate(cristian, { n: 4, drift: 0, latency: 'fixed:3', seed: 9 });
  expect(clocks!.map(({ error }) => error)).toEqual([0, 0, 0, 0]);
});
