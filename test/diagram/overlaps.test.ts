import { describe, expect, test } from 'vitest';
import { parseTrace } from '../../src/core/trace.ts';
import { svgDiagram, TraceIndex } from '../../src/diagram/index.ts';

const lines = [
  '1 0 call request => emit entered',
  '2 1 call request => emit entered',
  '3 2 call request => emit entered',
  '4 0 call release',
  '5 1 call release',
  '6 1 call request => emit entered',
];
const trace = parseTrace(
  ['baton trace 1', 'n 3', '---', ...lines, 'end 6 events, 0 messages: ok', ''].join('\n'),
);

describe('processes that are inside at the same time', () => {
  test('each has a stretch, as long as another is inside, too', () => {
    expect(TraceIndex.of(trace).overlaps).toEqual([
      { process: 0, from: 1, to: 3 },
      { process: 1, from: 1, to: 4 },
      { process: 2, from: 2, to: 4 },
      { process: 2, from: 5, to: -1 },
      { process: 1, from: 5, to: -1 },
    ]);
  });

  test('the drawing hatches those that have begun', () => {
    const hatched = (position: number) => svgDiagram(trace, { position }).split('url(#overlap)').length - 1;
    expect([1, 2, 3, 5, 6].map(hatched)).toEqual([0, 2, 3, 3, 5]);
  });
});
