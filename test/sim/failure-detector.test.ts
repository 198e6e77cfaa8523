import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { Random } from '../../src/core/random.ts';
import { prepare, simulate } from '../../src/sim/index.ts';
import { parseDetector } from '../../src/sim/scenario/failure-detector.ts';
import { parseLatency } from '../../src/sim/scenario/latency.ts';

const D = 10;
const delays = parseLatency('uniform:1:10', 'latency');
const kinds = [
  ['timeout', 2 * D],
  ['handshake', D],
] as const;

describe.each(kinds)('%s', (kind, least) => {
  test('reports a crash after it happened, within a period, a time-out and a delay', () => {
    const numbers = fc.tuple(fc.nat(1000), fc.nat(20), fc.nat(20), fc.integer({ min: 1, max: 60 }), fc.nat());
    fc.assert(
      fc.property(numbers, fc.nat(30), ([crash, crashed, observer, period, seed], more) => {
        const detector = parseDetector(`${kind}:${period}:${least + more}`, D);
        const at = detector.reportTime(crash, crashed, observer, delays, new Random(seed, 'test'));
        return at > crash && at <= crash + period + least + more + D;
      }),
    );
  });

  test(`a time-out below ${least} ticks would suspect processes that live`, () => {
    expect(() => parseDetector(`${kind}:20:${least - 1}`, D)).toThrow(
      `detector '${kind}:20:${least - 1}': a time-out of ${least - 1} would suspect processes that live; use at least ${least} ticks`,
    );
  });
});

test.each([
  [
    'often',
    "detector 'often': write KIND:PERIOD:TIMEOUT, where KIND is timeout or handshake, like timeout:20:25",
  ],
  ['timeot:20:25', "no failure detector is called 'timeot'; did you mean timeout"],
  ['timeout:0:25', "detector 'timeout:0:25': the period is at least 1 tick"],
])('the detector %s is refused', (text, sentence) => {
  expect(() => parseDetector(text, D)).toThrow(sentence);
});

test('a detector means nothing to an algorithm that is not told of crashes', () => {
  expect(() => prepare(resolve('raymond'), { detector: 'timeout:20:25' })).toThrow(
    'the processes of raymond are not told of crashes: leave out detector',
  );
  expect(() => prepare(resolve('peterson'), { detector: 'timeout:20:25' })).toThrow(
    'the processes of peterson are not told of crashes: leave out detector, or use peterson+rounds',
  );
});

test('a report is neither lost nor repeated, and is not counted as a message', () => {
  const faults = [{ type: 'crash', process: 2, at: 500 }] as const;
  for (let seed = 0; seed < 100; seed += 1) {
    const told: number[] = [];
    const run = simulate(
      resolve('chang-roberts+rounds'),
      { n: 4, faults, seed, duplication: 0.5, loss: 0.5 },
      {
        record: ({ process, input }) => {
          if (input.kind === 'recv' && input.message.type === 'crashed') told.push(process);
        },
      },
    );
    if (run.time > 600) expect(told.sort()).toEqual([0, 1, 3]);
    expect(Object.keys(run.messages.byType)).toEqual(['election', 'leader']);
  }
});
