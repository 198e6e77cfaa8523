import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawFigure, lookOf, type Panel } from '../../src/chart/index.ts';
import { spread } from '../../src/chart/labels.ts';

test('labels stand apart, within their room, in the order of their lines', () => {
  const places = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(places, (wanted) => {
      const heights = spread(wanted, 14, 0, 400);
      const order = wanted.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!);
      for (const [k, i] of order.entries()) {
        expect(heights[i]).toBeGreaterThanOrEqual(-1e-9);
        expect(heights[i]).toBeLessThanOrEqual(400 + 1e-9);
        if (k === 0) continue;
        expect(heights[i]! - heights[order[k - 1]!]!).toBeGreaterThanOrEqual(14 - 1e-9);
        expect(wanted[i]).toBeGreaterThanOrEqual(wanted[order[k - 1]!]!);
      }
    }),
  );
});

test('labels with room stay where they want to be', () => {
  expect(spread([100, 20, 60], 14, 0, 400)).toEqual([100, 20, 60]);
});

test('the first forty-nine looks differ, neighbours in colour and marker', () => {
  const looks = Array.from({ length: 49 }, (_, k) => lookOf(k));
  expect(new Set(looks.map(({ colour, marker }) => `${colour} ${marker}`)).size).toBe(49);
  for (let k = 1; k < 49; k += 1) {
    expect(looks[k]!.colour).not.toBe(looks[k - 1]!.colour);
    expect(looks[k]!.marker).not.toBe(looks[k - 1]!.marker);
  }
});

test('a figure is well-formed, whatever a name contains', () => {
  const panel: Panel = {
    title: '<a> & "b"',
    xLabel: 'n',
    x: [8, 8],
    y: [1, 10],
    series: [
      { name: '<x>', look: lookOf(0), label: true, points: [{ x: 8, y: 2, low: 0, high: 3, title: '<t>' }] },
    ],
    curves: [{ label: 'n < m', style: 'at most', points: [{ x: 8, y: 9 }] }],
  };
  const svg = drawFigure({
    title: 'A & B',
    about: '',
    legend: [],
    columns: 1,
    labels: 60,
    rows: [{ height: 100, panels: [panel] }],
  });
  expect(svg).toContain('&lt;x&gt;');
  expect(svg).not.toMatch(/<[xt]>|NaN|A & B/);
  const open = [...svg.matchAll(/<([a-z]+)[^>]*?(\/?)>/g)].filter(([, , closed]) => closed === '').length;
  expect(svg.match(/<\//g)).toHaveLength(open);
});
