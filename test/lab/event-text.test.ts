import { expect, test } from 'vitest';
import { cristian, ricartAgrawala } from '../../src/algorithms/index.ts';
import { resolve } from '../../src/catalogue/index.ts';
import { eventSentence, traceNames } from '../../src/lab/ui/event-text.ts';
import { SimulatedTimeline } from '../../src/timeline/index.ts';

test('describes events and values', () => {
  const timeline = new SimulatedTimeline(ricartAgrawala, { n: 3, start: [{ process: 1, at: 0 }] });
  timeline.advanceTo(2);
  expect(eventSentence(timeline.events[0]!, traceNames)).toBe(
    'p1 asks for the lock: sends request(k=1) to p0, p2.',
  );
  expect(eventSentence(timeline.events[1]!, traceNames)).toMatch(
    /^p\d receives request\(k=1\) from p1: sends reply to p1\.$/,
  );
  const lock = new SimulatedTimeline(resolve('peterson-lock'), { start: [{ process: 1, at: 0 }] });
  lock.advanceTo(4);
  expect(lock.events.slice(1, 4).map((event) => eventSentence(event, traceNames))).toEqual([
    'p1 writes 1 to Q[1], at “Q[i] := true”.',
    'p1 writes 1 to TURN, at “TURN := i”.',
    'p1 reads 0 from Q[0], enters, at “wait until not Q[j]”.',
  ]);
  const clocks = new SimulatedTimeline(cristian, {
    n: 2,
    seed: 1,
    offsets: [0, 40],
    drift: 0,
    latency: 'fixed:2',
  });
  clocks.advanceTo(1000);
  expect(eventSentence(clocks.events.at(-1)!, traceNames)).toMatch(
    /^p1 receives tell\(time=\d+\) from p0: is to add −40\.0 ms to its clock, give or take 0\.0 ms\.$/,
  );
});

test('a step that reads several registers still says that it enters, and a corruption says what a register becomes', () => {
  const timeline = new SimulatedTimeline(resolve('dijkstra-three-state'), {
    n: 3,
    start: [{ process: 1, at: 0 }],
    faults: [{ type: 'corrupt', process: 0, at: 1 }],
  });
  timeline.advanceTo(1000);
  const sentences = timeline.events.map((event) => eventSentence(event, traceNames));
  expect(sentences.filter((text) => text.includes('enters'))).toEqual([
    expect.stringMatching(
      /^p1 reads \d from S\[0\], \d from S\[1\], \d from S\[2\], enters, at “wait for the privilege”\.$/,
    ),
  ]);
  expect(sentences).toContainEqual(
    expect.stringMatching(/^p0 is corrupted: tosses \d, S\[0\] becomes \d\.$/),
  );
});
