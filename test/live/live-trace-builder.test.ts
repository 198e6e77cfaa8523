// Turns the reports of real processes into events.
import { expect, test } from 'vitest';
import { eventLine } from '../../src/core/trace.ts';
import {
  EntryRates,
  type HandledReport,
  LiveTraceBuilder,
  type ProcessReport,
} from '../../src/live/index.ts';
import { fenceOf } from '../../src/member/index.ts';

const handled = (
  at: number,
  input: HandledReport['input'],
  sends: HandledReport['sends'] = [],
  entered = false,
): ProcessReport => ({ at, kind: 'handled', input, sends, entered });
const request: HandledReport['input'] = { kind: 'call', name: 'request' };

/** Two processes in one view; the first is inside. */
function two(): LiveTraceBuilder {
  const story = new LiveTraceBuilder();
  ['a', 'b'].forEach((id, k) => {
    story.addLifecycleEvent(k, 'born', 0, 100 + k);
    story.addReport(k, { at: 1, kind: 'named', id });
  });
  story.addReport(0, { at: 2, kind: 'view', epoch: 1, members: ['a', 'b'] });
  story.addReport(0, handled(3, request, [], true));
  return story;
}

const lines = (story: LiveTraceBuilder, until = Infinity): string[] => {
  story.settle(until);
  return story.takeEvents().map(eventLine);
};

test('reports are applied in the order of their times', () => {
  const story = two();
  story.addReport(
    0,
    handled(12, { kind: 'recv', from: 'b', message: { type: 'request' } }, [
      { to: 'b', message: { type: 'page' } },
    ]),
  );
  story.addReport(1, handled(14, { kind: 'recv', from: 'a', message: { type: 'page' } }, [], true));
  story.addReport(1, handled(10, request, [{ to: 'a', message: { type: 'request' } }]));
  expect(lines(story, 13)).toEqual([
    '3 0 call request => emit entered',
    '10 1 call request => #0 to 0 request',
    '12 0 recv #0 request from 1 => #1 to 1 page',
  ]);
  expect(lines(story)).toEqual(['14 1 recv #1 page from 0 => emit entered']);
  expect(story.perSecond(100)).toBe(2);
  expect(story.seats.map(({ phase, isMember }) => [phase, isMember])).toEqual([
    ['inside', true],
    ['inside', true],
  ]);
});

test('the holder is killed: messages to it are lost, and the next entry is a takeover', () => {
  const story = two();
  story.addReport(1, handled(10, request, [{ to: 'a', message: { type: 'request' } }]));
  story.addLifecycleEvent(0, 'died', 20);
  story.addReport(
    1,
    handled(22, { kind: 'timer', message: { type: 'view' } }, [{ to: 'a', message: { type: 'flush' } }]),
  );
  story.addReport(1, handled(32, { kind: 'timer', message: { type: 'granted' } }, [], true));
  expect(lines(story).slice(2)).toEqual([
    '20 0 crash',
    '20 0 lose #0',
    '22 1 timer view => #1 to 0 flush',
    '22 0 lose #1',
    '32 1 timer granted => emit entered',
  ]);
  expect(story.takeover).toEqual({ ms: 12, why: 'killed', from: 0, to: 1 });
  story.addLifecycleEvent(0, 'born', 40, 200);
  expect(lines(story)).toEqual(['40 0 restart']);
  expect(story.seats[0]).toEqual({ pid: 200, state: 'alive', phase: 'idle', isMember: false });
});

test('a stopped holder leaves once, when the others have a new view', () => {
  const story = two();
  story.addLifecycleEvent(0, 'stopped', 10);
  story.addLifecycleEvent(0, 'stopped', 11);
  story.addReport(1, { at: 1800, kind: 'view', epoch: 2, members: ['b'] });
  story.addReport(1, handled(1801, request, [], true));
  story.addLifecycleEvent(0, 'continued', 3000);
  story.addReport(0, { at: 3001, kind: 'out' });
  story.addReport(0, { at: 3002, kind: 'named', id: 'c' });
  expect(lines(story).slice(1)).toEqual([
    '10 0 pause',
    '1800 0 restart',
    '1801 1 call request => emit entered',
    '3000 0 resume',
  ]);
  expect(story.takeover).toEqual({ ms: 1791, why: 'stopped', from: 0, to: 1 });
});

test('a stopped holder that continues in time keeps the lock', () => {
  const story = two();
  story.addLifecycleEvent(0, 'stopped', 10);
  story.addLifecycleEvent(0, 'continued', 500);
  story.addReport(
    0,
    handled(600, { kind: 'call', name: 'release' }, [{ to: 'b', message: { type: 'page' } }]),
  );
  story.addReport(1, handled(601, { kind: 'recv', from: 'a', message: { type: 'page' } }, [], true));
  story.settle(Infinity);
  expect(story.takeover).toBeNull();
});

test('an overtaken message is lost; a message without a report of its sender is still received', () => {
  const story = two();
  story.addReport(
    0,
    handled(5, { kind: 'timer', message: { type: 'view' } }, [
      { to: 'b', message: { type: 'flush' } },
      { to: 'b', message: { type: 'install' } },
      { to: 'nobody', message: { type: 'view' } },
    ]),
  );
  story.addReport(1, handled(6, { kind: 'recv', from: 'a', message: { type: 'install' } }));
  story.addReport(1, handled(7, { kind: 'recv', from: 'a', message: { type: 'page' } }));
  expect(lines(story).slice(1)).toEqual([
    '5 0 timer view => #0 to 1 flush; #1 to 1 install',
    '6 1 lose #0',
    '6 1 recv #1 install from 0',
    '7 1 recv #2 page from 0',
  ]);
});

test('entries per second, from the fences of one view', () => {
  const rates = new EntryRates();
  expect(rates.of('a', fenceOf(7, 10), 0)).toBeNull();
  expect(rates.of('a', null, 500)).toBeNull();
  expect(rates.of('a', fenceOf(7, 30), 2000)).toBe(10);
  expect(rates.of('a', fenceOf(8, 1), 2500)).toBeNull();
  expect(rates.of('a', fenceOf(8, 1), 4500)).toBe(0);
  rates.keep(new Set());
  expect(rates.of('a', fenceOf(8, 9), 5000)).toBeNull();
});
