// The last minutes of real processes, as the live view draws them.
import { expect, test } from 'vitest';
import type { TraceEvent } from '../../src/core/trace.ts';
import { EventWindow } from '../../src/lab/live/event-window.ts';

/** At this second: p0 hands a page to p1, which enters or leaves; p2 asked long ago; p3 has crashed. */
const round = (k: number): TraceEvent[] => [
  {
    time: 1000 * k,
    process: 0,
    input: { kind: 'timer', message: { type: 'view' } },
    outputs: [{ kind: 'send', serial: k, to: 1, link: null, message: { type: 'page' } }],
  },
  {
    time: 1000 * k + 1,
    process: 1,
    input: { kind: 'recv', serial: k, message: { type: 'page' }, from: 0 },
    outputs: k % 2 === 0 ? [{ kind: 'emit', event: { type: 'entered' } }] : [],
  },
];
const first: TraceEvent[] = [
  { time: 0, process: 2, input: { kind: 'call', name: 'request' }, outputs: [] },
  { time: 0, process: 2, input: { kind: 'pause' }, outputs: [] },
  { time: 0, process: 3, input: { kind: 'crash' }, outputs: [] },
];

test('what is long ago is forgotten, but not what became of it', () => {
  const strip = new EventWindow();
  strip.add(first, 4);
  for (let k = 0; k < 5000; k += 1) strip.add(round(k), 4);
  const { traceIndex, spaceTime } = strip;
  const end = traceIndex.events.length;
  expect(end).toBeGreaterThan(2000);
  expect(end).toBeLessThan(4100);
  expect([0, 1, 2, 3].map((i) => traceIndex.phaseAt(i, end))).toEqual([
    'idle',
    'inside',
    'waiting',
    'crashed',
  ]);
  expect(traceIndex.isPausedAt(2, end)).toBe(true);
  expect(strip.seconds(spaceTime.x(end - 2))).toBe('4999 s');
  expect(strip.sentSince(strip.units(4998_000)).map(({ serial }) => serial)).toEqual([4999, 4998]);
});

test('time goes on when nothing happens, unless events are a step apart', () => {
  const strip = new EventWindow();
  strip.add(first, 4);
  strip.advanceTo(7000);
  expect(strip.seconds(strip.spaceTime.present(3))).toBe('7 s');
  strip.setSpacing('even');
  expect(strip.spaceTime.width).toBe(3);
  strip.setSpacing('time');
  strip.advanceTo(8000);
  strip.add([], 5);
  expect(strip.traceIndex.n).toBe(5);
  expect(strip.seconds(strip.spaceTime.width)).toBe('8 s');
});
