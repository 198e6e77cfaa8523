// What the lab draws from the catalogue: networks to choose from, and the place of the token.
import { expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { algorithmInfo, isMutant, listed, resolve } from '../../src/catalogue/index.ts';
import { TraceIndex } from '../../src/diagram/index.ts';
import { SimulatedTimeline } from '../../src/timeline/index.ts';

const each = algorithms.map((algorithm) => [algorithm.name, algorithm] as const);

test.each(each)('%s runs on every network offered', (_, algorithm) => {
  for (const topology of algorithmInfo(algorithm).shapes) {
    const stage = new SimulatedTimeline(algorithm, { n: 6, topology });
    expect(stage.advanceTo(3)).toBe(true);
  }
});

const composed = ['token-ring+bully', 'raymond+chandy-lamport', 'raymond+bully+chandy-lamport'].map(resolve);
test.each(
  [...listed, ...composed]
    .filter((algorithm) => algorithmInfo(algorithm).token && !isMutant(algorithm))
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s: the token is seen in one place, always', (_, algorithm) => {
  const token = algorithmInfo(algorithm).token!;
  const stage = new SimulatedTimeline(algorithm, { n: 5, entries: 2, seed: 2 });
  stage.advanceTo(400);
  const chronicle = new TraceIndex(5);
  const seen = new Set<number>();
  for (let position = 0; position <= stage.events.length; position += 1) {
    if (position > 0) chronicle.add(stage.events[position - 1]!);
    const held = [0, 1, 2, 3, 4].filter((i) => token.isHeld(stage.stateAt(i, position))).length;
    const onTheWay = chronicle.inFlightAt(position).filter(({ message }) => token.isIn(message)).length;
    if (stage.events[position]?.input.kind !== 'begin') seen.add(held + onTheWay);
  }
  expect([...seen]).toEqual([1]);
});
