import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawFigure, type Panel, seriesStyle } from '../../src/chart/index.ts';
import { crosses, freestPlace, type PixelPoint, spreadLabels } from '../../src/chart/label-placement.ts';

test('labels are apart, within bounds, in the order of their lines', () => {
  const places = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(places, (wanted) => {
      const heights = spreadLabels(wanted, 14, 0, 400);
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

test('labels with enough room stay at their wanted height', () => {
  expect(spreadLabels([100, 20, 60], 14, 0, 400)).toEqual([100, 20, 60]);
});

test('a label takes the first place without a line or another label, or the least covered', () => {
  const place = (left: number, top: number) => ({ left, top, right: left + 10, bottom: top + 10 });
  const line: PixelPoint[] = [
    [0, 15],
    [40, 15],
    [40, 60],
  ];
  expect(freestPlace([place(0, 10), place(0, 20)], [line], [])).toEqual(place(0, 20));
  expect(freestPlace([place(0, 20), place(20, 20)], [line], [place(5, 25)])).toEqual(place(20, 20));
  expect(freestPlace([place(35, 10), place(0, 10)], [line], [])).toEqual(place(0, 10)); // it has the corner on it
  expect(freestPlace([], [line], [])).toBeUndefined();
});

test('a segment crosses a rectangle if a part of it is inside', () => {
  const place = { left: 0, top: 0, right: 10, bottom: 10 };
  const across: [PixelPoint, PixelPoint][] = [
    [
      [-5, -5],
      [15, 15],
    ],
    [
      [5, 5],
      [6, 6],
    ],
    [
      [5, -9],
      [5, 3],
    ],
    [
      [-1, 8],
      [3, 12],
    ],
  ];
  const past: [PixelPoint, PixelPoint][] = [
    [
      [-5, 6],
      [5, 16],
    ],
    [
      [0, -5],
      [0, 15],
    ],
    [
      [-5, 10],
      [15, 10],
    ],
    [
      [11, 0],
      [20, 5],
    ],
  ];
  for (const [from, to] of across) expect(crosses(place, from, to)).toBe(true);
  for (const [from, to] of past) expect(crosses(place, from, to)).toBe(false);
});

test('the label of a guide never covers a line', () => {
  const sizes = [2, 8, 32, 128];
  const lines = fc.array(fc.tuple(...sizes.map(() => fc.integer({ min: 10, max: 900 }))), { maxLength: 2 });
  fc.assert(
    fc.property(lines, (all) => {
      const svg = drawFigure({
        title: '',
        about: '',
        legend: [],
        columns: 2,
        labels: 60,
        rows: [
          {
            height: 300,
            panels: [
              {
                title: '',
                xLabel: 'n',
                x: [2, 128],
                y: [1, 1000],
                series: all.map((values, k) => ({
                  name: `${k}`,
                  style: seriesStyle(k),
                  label: true,
                  points: values.map((y, i) => ({ x: sizes[i]!, y, low: y, high: y, title: '' })),
                })),
                curves: [{ label: 'n', style: 'guide', points: sizes.map((n) => ({ x: n, y: n })) }],
              },
            ],
          },
        ],
      });
      const [, x, y] = svg.match(/class="guide-label middle" x="([\d.]+)" y="([\d.]+)"/)!.map(Number);
      const letters = { left: x! - 3, top: y! - 8, right: x! + 3, bottom: y! };
      const paths = [...svg.matchAll(/class="(?:line|thread|curve guide)" d="M([^"]+)"/g)];
      expect(paths).toHaveLength(2 * all.length + 1);
      for (const [, path] of paths) {
        const points = path!.split('L').map((pair) => pair.split(',').map(Number) as unknown as PixelPoint);
        for (const [k, to] of points.entries())
          if (k > 0) expect(crosses(letters, points[k - 1]!, to)).toBe(false);
      }
    }),
  );
});

test('a formula with two curves is in the legend once', () => {
  const curve = (y: number) => ({ label: '2n', style: 'exactly' as const, points: [{ x: 2, y }] });
  const panel: Panel = {
    title: '',
    xLabel: 'n',
    x: [2, 8],
    y: [1, 10],
    series: [],
    curves: [curve(2), curve(4)],
  };
  const rows = [{ height: 100, panels: [panel] }];
  const svg = drawFigure({ title: '', about: '', legend: [], columns: 1, labels: 60, rows });
  expect(svg.match(/exactly 2n/g)).toHaveLength(1);
});

test('a long title takes two lines in a narrow figure, and everything below moves down', () => {
  const title = 'Mutual exclusion: messages per entry';
  const drawn = (width: number) =>
    drawFigure({ title, about: 'Means.', legend: [], columns: 1, labels: 60, rows: [] }, width);
  const lines = (svg: string) => [...svg.matchAll(/class="head"[^>]*>([^<]*)</g)].map(([, line]) => line);
  const heightOf = (svg: string) => Number(/ height="(\d+)"/.exec(svg)![1]);
  expect(lines(drawn(1080))).toEqual([title]);
  expect(lines(drawn(334))).toEqual(['Mutual exclusion: messages per', 'entry']);
  expect(heightOf(drawn(334))).toBe(heightOf(drawn(1080)) + 21);
});

test('the first 49 styles differ, neighbours in colour and marker', () => {
  const looks = Array.from({ length: 49 }, (_, k) => seriesStyle(k));
  expect(new Set(looks.map(({ colour, marker }) => `${colour} ${marker}`)).size).toBe(49);
  for (let k = 1; k < 49; k += 1) {
    expect(looks[k]!.colour).not.toBe(looks[k - 1]!.colour);
    expect(looks[k]!.marker).not.toBe(looks[k - 1]!.marker);
  }
});

test('a figure is well-formed for any names', () => {
  const panel: Panel = {
    title: '<a> & "b"',
    xLabel: 'n',
    x: [8, 8],
    y: [1, 10],
    series: [
      {
        name: '<x>',
        style: seriesStyle(0),
        label: true,
        points: [{ x: 8, y: 2, low: 0, high: 3, title: '<t>' }],
      },
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
