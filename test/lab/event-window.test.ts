import { expect, test } from 'vitest';
import type { TraceEvent } from '../../src/core/trace.ts';
import { EventWindow } from '../../src/lab/live/event-window.ts';

/** At second k, p0 sends a page to p1, which enters if k is even. */
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

test('old events are dropped, but the phases of processes stay', () => {
  const eventWindow = new EventWindow();
  eventWindow.add(first, 4);
  for (let k = 0; k < 5000; k += 1) eventWindow.add(round(k), 4);
  const { traceIndex, spaceTime } = eventWindow;
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
  expect(eventWindow.seconds(spaceTime.x(end - 2))).toBe('4999 s');
  expect(eventWindow.sentSince(eventWindow.units(4998_000)).map(({ serial }) => serial)).toEqual([
    4999, 4998,
  ]);
});

test('the present advances without events, except with even spacing', () => {
  const eventWindow = new EventWindow();
  eventWindow.add(first, 4);
  eventWindow.advanceTo(7000);
  expect(eventWindow.seconds(eventWindow.spaceTime.present(3))).toBe('7 s');
  eventWindow.setSpacing('even');
  expect(eventWindow.spaceTime.width).toBe(3);
  eventWindow.setSpacing('time');
  eventWindow.advanceTo(8000);
  eventWindow.add([], 5);
  expect(eventWindow.traceIndex.n).toBe(5);
  expect(eventWindow.seconds(eventWindow.spaceTime.width)).toBe('8 s');
});
