import { describe, expect, test } from 'vitest';
import {
  breaksBound,
  figureText,
  type MeasuredPosition,
  type MeasuredQuantity,
  measuredPosition,
  measuredQuantities,
} from '../../src/lab/panels/measure-figures.ts';
import { LabStore } from '../../src/lab/state/lab-store.ts';
import { InProcessWorker, noVersion } from './in-process-worker.ts';

type Fields = Readonly<Record<string, string>>;

/** Loads a whole run and goes to a position, or to its end. */
async function positionIn(algorithm: string, fields: Fields, position?: number): Promise<MeasuredPosition> {
  const lab = new LabStore(() => new InProcessWorker(), noVersion);
  await lab.load({ algorithm, fields, interventions: [], position: 0, spacing: 'even' });
  for (let k = 0; k < 1000 && !lab.run.isOver; k += 1) {
    lab.advanceFrame(100, false);
    await new Promise((resolve) => setTimeout(resolve));
  }
  lab.goTo(position ?? lab.run.events.length);
  return measuredPosition(lab);
}

const shown = async (algorithm: string, fields: Fields, position?: number): Promise<MeasuredQuantity[]> =>
  measuredQuantities(await positionIn(algorithm, fields, position));

const headlines = (quantities: readonly MeasuredQuantity[]) =>
  quantities.map(({ title, figure, unit }) => `${title} ${figure} ${unit}`);

const rowsOf = (quantities: readonly MeasuredQuantity[], id: MeasuredQuantity['id']) =>
  quantities
    .find((quantity) => quantity.id === id)!
    .rows.flatMap(({ name, figures, bounds = [] }) => [
      `${name} ${figures.join(' ')}`,
      ...bounds.map(({ text, mark }) => `${mark}: ${text}`),
    ]);

const heavy = { n: '5', entries: '4', latency: 'fixed:10', hold: 'fixed:3', think: 'fixed:0' };

describe('a lock', () => {
  test('shows the hops of the token, and the bounds on them', async () => {
    const run = { n: '3', start: '0@1', latency: 'fixed:2' };
    const hopsOf = async (algorithm: string) => {
      const rows = rowsOf(await shown(algorithm, run), 'time');
      const first = rows.indexOf('Token hops 3 3 3');
      return rows.slice(first, first + 3);
    };
    expect(await hopsOf('token-ring')).toEqual([
      'Token hops 3 3 3',
      'kept: at least 1',
      'kept: at most n = 3',
    ]);
    expect((await hopsOf('token-ring-as-printed'))[2]).toBe('broken: at most n-1 = 2');
  });

  test('has four quantities, in ticks and in units of T', async () => {
    const quantities = await shown('ricart-agrawala', heavy);
    expect(headlines(quantities)).toEqual([
      'Messages 8 per entry',
      'Time 10 delay = T',
      'Size ≤ 2 elements',
      'Load 20 % busiest',
    ]);
    expect(rowsOf(quantities, 'time')).toEqual([
      'Synchronisation delay 10 10 10',
      'kept: must be T = 10',
      'kept: at most 3T = 30',
      'Waiting 20 58 72',
      'Response 23 61 75',
      'Throughput 0.0741 per tick',
      'kept: at most 1/(T+E) = 0.0769',
      'Longest chain 21 messages',
    ]);
    expect(quantities[1]!.rows.map(({ inT }) => inT?.join(' ') ?? null)).toEqual([
      'T T T',
      '2T 5.8T 7.2T',
      '2.3T 6.1T 7.5T',
      '0.741 per T',
      null,
    ]);
    expect(rowsOf(quantities, 'size')).toEqual([
      'request: elements 2 2 2',
      'request: bits 1 2.9 5',
      'reply: elements 1 1 1',
      'reply: bits 0 0 0',
      'All messages 232 bits',
    ]);
    expect(rowsOf(quantities, 'messages').slice(0, 3)).toEqual([
      'Per entry 8',
      'In all 160',
      'kept: request: at most 80',
    ]);
  });

  test('follows the position, and is empty at the beginning', async () => {
    expect(headlines(await shown('ricart-agrawala', heavy, 0))).toEqual([
      'Messages 0 in all',
      'Time – no entry',
      'Size – none sent',
      'Load – none sent',
    ]);
    const early = await shown('ricart-agrawala', heavy, 40);
    expect(rowsOf(early, 'time')[0]).toMatch(/^(Waiting|Synchronisation)/);
    expect(headlines(early)).not.toEqual(headlines(await shown('ricart-agrawala', heavy)));
  });

  test('has no units of T if messages take different times', async () => {
    const quantities = await shown('suzuki-kasami', { n: '5', latency: 'uniform:1:9' });
    expect(quantities[1]!.unit).toBe('delay');
    expect(quantities[1]!.rows.every(({ inT = null }) => inT === null)).toBe(true);
    expect(rowsOf(quantities, 'size')).toEqual(
      expect.arrayContaining(['kept: at least n+1 = 6', 'kept: at most 2n-1 = 9']),
    );
  });

  test('of whose load the end decides', async () => {
    const fields = { n: '4', latency: 'fixed:10' };
    expect(rowsOf(await shown('central-coordinator', fields, 6), 'load')).toContain(
      'open: must be 1/2 = 0.5',
    );
    expect(rowsOf(await shown('central-coordinator', fields), 'load')).toContain('kept: must be 1/2 = 0.5');
  });
});

test('an election shows when the winner knows, and when all do', async () => {
  const quantities = await shown('chang-roberts', { ids: '5,1,3,4,2', latency: 'fixed:10' });
  expect(rowsOf(quantities, 'time')).toEqual([
    'Winner knows 50 ticks',
    'kept: at least nT = 50',
    'kept: at most (2n-1)T = 90',
    'Last one knows 90 ticks',
    'kept: at most (3n-2)T = 130',
    'Longest chain 10 messages',
  ]);
  expect(headlines(quantities).slice(0, 2)).toEqual(['Messages 15 in all', 'Time 50 elected = 5T']);
});

test('shared memory has no messages, sizes and loads; clocks have no times', async () => {
  expect((await shown('bakery', { n: '3' })).map(({ title }) => title)).toEqual(['Accesses', 'Time']);
  const clocks = await shown('cristian', {});
  expect(clocks.map(({ title }) => title)).toEqual(['Messages', 'Size', 'Load']);
  expect(rowsOf(clocks, 'messages').at(-1)).toMatch(/^Longest chain \d+ messages$/);
});

test('a broken bound is marked, from above and from below', async () => {
  const given = await positionIn('ricart-agrawala', heavy);
  expect(measuredQuantities(given).some(breaksBound)).toBe(false);
  const delay = given.measures.synchronisationDelay!;
  for (const figures of [{ most: 11 }, { least: 9 }]) {
    const measures = { ...given.measures, synchronisationDelay: { ...delay, ...figures } };
    const broken = measuredQuantities({ ...given, measures });
    expect(broken.filter(breaksBound).map(({ id }) => id)).toEqual(['time']);
    expect(rowsOf(broken, 'time')).toContain('broken: must be T = 10');
  }
  const sent = { ...given.sent, request: 81 };
  expect(rowsOf(measuredQuantities({ ...given, sent }), 'messages')).toContain('broken: request: at most 80');
});

test('a figure has three digits, a whole number all of them', () => {
  expect([0.07407, 6.25, 58, 12345, 1234.5, 0].map(figureText)).toEqual([
    '0.0741',
    '6.25',
    '58',
    '12345',
    '1235',
    '0',
  ]);
});
