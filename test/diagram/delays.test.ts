import { describe, expect, test } from 'vitest';
import { algorithms, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { delayText, messageTimeIn, timeInT } from '../../src/diagram/delays.ts';
import { svgDiagram, TraceIndex } from '../../src/diagram/index.ts';
import { simulate } from '../../src/sim/index.ts';

const traceWith = (...lines: string[]) =>
  parseTrace(
    ['baton trace 1', 'n 3', '---', ...lines, `end ${lines.length} events, 0 messages: ok`, ''].join('\n'),
  );
const delaysIn = (...lines: string[]) => TraceIndex.of(traceWith(...lines)).delays;

describe('a synchronisation delay', () => {
  test('is from a release, while another process waits, to its entry', () => {
    expect(
      delaysIn(
        '1 0 call request => emit entered',
        '2 1 call request',
        '5 0 call release',
        '9 1 timer go => emit entered',
      ),
    ).toEqual([{ from: 2, to: 3, ticks: 4 }]);
  });

  test('a release has no delay if no process waits, or if the releaser enters again', () => {
    expect(
      delaysIn(
        '1 0 call request => emit entered',
        '2 0 call release',
        '3 1 call request => emit entered',
        '4 2 call request',
        '5 1 call release',
        '6 1 call request => emit entered',
      ),
    ).toEqual([]);
  });

  test('does not begin while the only waiter is crashed', () => {
    expect(
      delaysIn(
        '1 0 call request => emit entered',
        '2 1 call request',
        '3 1 crash',
        '4 0 call release',
        '5 2 call request => emit entered',
      ),
    ).toEqual([]);
  });

  const locks = [...algorithms, ...sharedAlgorithms].filter(({ problem }) => problem === 'mutex');
  test.each(locks.map((lock) => [lock.name, lock] as const))(
    'is what the simulator measures: %s',
    (_, lock) => {
      for (let seed = 1; seed <= 12; seed += 1) {
        const { trace, measures } = simulate(lock, {
          seed,
          entries: 4,
          latency: ['fixed:10', 'uniform:1:9', 'exponential:20'][seed % 3]!,
          hold: 'uniform:0:6',
          think: seed % 2 ? 'fixed:0' : 'uniform:0:60',
          events: true,
        });
        const ticks = TraceIndex.of(trace).delays.map((delay) => delay.ticks);
        const measured = measures!.synchronisationDelay;
        expect(ticks.length === 0).toBe(measured === null);
        if (measured === null) continue;
        const sum = ticks.reduce((a, b) => a + b, 0);
        expect([Math.min(...ticks), sum / ticks.length, Math.max(...ticks)]).toEqual([
          measured.least,
          measured.mean,
          measured.most,
        ]);
      }
    },
  );
});

test('T is the time of every message, if they all take the same', () => {
  const scenario = { latency: 'fixed:10', channels: 'fifo' };
  expect(messageTimeIn(scenario)).toBe(10);
  expect(messageTimeIn({ ...scenario, latency: 'uniform:1:10' })).toBe(null);
  expect(messageTimeIn({ ...scenario, slow: '0-1:50' })).toBe(null);
  expect(messageTimeIn({ ...scenario, hand: '30:delay:4:9' })).toBe(null);
  expect(messageTimeIn({ latency: 'fixed:10' })).toBe(null); // shared memory
  expect(messageTimeIn({ ...scenario, latency: 'fixed:0' })).toBe(null);
});

test('times are written in units of T', () => {
  expect([10, 20, 5, 0, 33].map((ticks) => timeInT(ticks, 10))).toEqual(['T', '2T', '0.5T', '0', '3.3T']);
  expect([delayText(10, 10), delayText(20, 10), delayText(7, null), delayText(0, 10)]).toEqual([
    '10 = T',
    '20 = 2T',
    '7',
    '0',
  ]);
});

describe('the drawing', () => {
  const run = simulate(ricartAgrawala, {
    n: 3,
    entries: 2,
    latency: 'fixed:10',
    hold: 'fixed:3',
    think: 'fixed:0',
    events: true,
  });
  const { delays } = TraceIndex.of(run.trace);
  const bracketsIn = (svg: string) => svg.split("class='delay'").length - 1;

  test('has a bracket for each delay that has ended, and one in the legend', () => {
    const svg = svgDiagram(run);
    expect(delays).toHaveLength(5);
    expect(bracketsIn(svg)).toBe(5);
    expect(svg.split('>10 = T<').length - 1).toBe(5);
    expect(svg).toContain('>synchronisation delay<');
    expect(bracketsIn(svgDiagram(run, { position: delays[2]!.to }))).toBe(2);
    expect(bracketsIn(svgDiagram(run, { position: delays[2]!.to + 1 }))).toBe(3);
  });

  test('has none without delays, or if not wanted', () => {
    for (const svg of [svgDiagram(run, { position: delays[0]!.to }), svgDiagram(run, { delays: false })]) {
      expect(bracketsIn(svg)).toBe(0);
      expect(svg).not.toContain('synchronisation delay');
    }
  });

  test('says T only if it is known', () => {
    const index = TraceIndex.of(run.trace);
    expect(svgDiagram(index)).not.toContain('= T');
    expect(svgDiagram(index, { messageTime: 5 })).toContain('>10 = 2T<');
    expect(svgDiagram(run, { messageTime: null })).not.toContain('= T');
  });
});
