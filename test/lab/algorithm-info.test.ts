// Facts of the catalogue that the lab draws: the networks of an algorithm, and the place of the token.
import { expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { algorithmInfo, isMutant, listed, resolve } from '../../src/catalogue/index.ts';
import { TraceIndex } from '../../src/diagram/index.ts';
import { SimulatedTimeline } from '../../src/timeline/index.ts';

const each = algorithms.map((algorithm) => [algorithm.name, algorithm] as const);

test.each(each)('%s runs on every network that the lab offers', (_, algorithm) => {
  for (const topology of algorithmInfo(algorithm).shapes) {
    const timeline = new SimulatedTimeline(algorithm, { n: 6, topology });
    expect(timeline.advanceTo(3)).toBe(true);
  }
});

const composed = ['token-ring+bully', 'raymond+chandy-lamport', 'raymond+bully+chandy-lamport'].map(resolve);
test.each(
  [...listed, ...composed]
    .filter((algorithm) => algorithmInfo(algorithm).token && !isMutant(algorithm))
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s: there is exactly one token at every position', (_, algorithm) => {
  const token = algorithmInfo(algorithm).token!;
  const timeline = new SimulatedTimeline(algorithm, { n: 5, entries: 2, seed: 2 });
  timeline.advanceTo(400);
  const traceIndex = new TraceIndex(5);
  const seen = new Set<number>();
  for (let position = 0; position <= timeline.events.length; position += 1) {
    if (position > 0) traceIndex.add(timeline.events[position - 1]!);
    const held = [0, 1, 2, 3, 4].filter((i) => token.isHeld(timeline.stateAt(i, position))).length;
    const inFlight = traceIndex.inFlightAt(position).filter(({ message }) => token.isIn(message)).length;
    if (timeline.events[position]?.input.kind !== 'begin') seen.add(held + inFlight);
  }
  expect([...seen]).toEqual([1]);
});
