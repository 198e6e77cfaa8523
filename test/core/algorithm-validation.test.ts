import { describe, expect, test } from 'vitest';
import { algorithms, dekker, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { flawsOf, looksLikeAlgorithm } from '../../src/core/algorithm-validation.ts';
import { exactly } from '../../src/core/bounds.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';

test.each(
  [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants].map((one) => [one.name, one] as const),
)('%s has no flaw', (_, algorithm) => {
  expect(looksLikeAlgorithm(algorithm)).toBe(true);
  expect(flawsOf(algorithm)).toEqual([]);
});

describe('a missing required field is reported', () => {
  const messaging = ['name', 'problem', 'paper', 'knows', 'bounds', 'init', 'on'] as const;
  test.each(messaging)('%s', (field) => {
    const { [field]: _, ...rest } = ricartAgrawala;
    expect(flawsOf(rest)).toContain(`${field} is missing`);
  });

  const shared = ['name', 'problem', 'paper', 'bounds', 'init', 'registers', 'request', 'release'] as const;
  test.each(shared)('%s, on shared memory', (field) => {
    const { [field]: _, ...rest } = dekker;
    expect(flawsOf(rest)).toEqual([`${field} is missing`]);
  });

  test('parts of a field', () => {
    const { channels: _, ...assumes } = ricartAgrawala.assumes;
    const calls = { request: ricartAgrawala.calls.request };
    expect(flawsOf({ ...ricartAgrawala, assumes, calls })).toEqual([
      'assumes.channels is missing',
      'calls.release is missing',
    ]);
    expect(flawsOf({ ...ricartAgrawala, problem: 'election' })).toEqual([
      'calls.start is missing',
      'calls.request is not a field of an algorithm; did you mean calls.start',
      'calls.release is not a field of an algorithm; did you mean calls.start',
    ]);
    expect(flawsOf({ ...dekker, assumes: 'nothing' })).toEqual(['assumes.failures is missing']);
  });
});

test.each<[object, string]>([
  [{ name: '' }, 'name is "", not a line of text'],
  [{ name: 'two\nlines' }, 'name is "two\\nlines", not a line of text'],
  [{ problem: 'mutx' }, 'problem is "mutx", not one of mutex, election, clocks; did you mean mutex'],
  [{ problem: 'mutual exclusion' }, 'problem is "mutual exclusion", not one of mutex, election'],
  [{ knows: ['n', 'nn'] }, 'knows[1] is "nn", not one of me, id, n, neighbours'],
  [{ knows: ['n', 'neighbors'] }, 'maxDelay, minDelay, drift; did you mean neighbours'],
  [{ knows: { n: true } }, 'knows is another object, not a list, each one of me, id, n, neighbours'],
  [{ bounds: [3] }, 'bounds[0] is 3, not made by exactly, atLeast, atMost or onAverage'],
  [
    { bounds: [exactly(['reqest'], '1', 'nobody', () => 1)] },
    'bounds[0].counts[0] is "reqest", not one of request, reply; did you mean request',
  ],
  [{ init: {} }, 'init is another object, not a function'],
  [{ on: { request: null } }, 'on.request is null, not a function'],
  [{ on: [] }, 'on is another list, not an object, each of its fields a function'],
  [{ elects: 7 }, 'elects is 7, not one of largest, smallest, any'],
  [
    { messages: { request: { k: 'counts' }, reply: {} } },
    'messages.request is another object, not an object, each',
  ],
  [
    { messages: { request: { k: 'count' } } },
    'messages.reply is missing: declare the messages of all handlers',
  ],
  [
    { messages: { request: { k: 'count' }, reply: {}, replies: {} } },
    'messages.replies has no handler; did you mean reply',
  ],
  [{ timers: 'wait' }, 'timers is "wait", not a list, each a line of text'],
  [{ addresses: { values: 'queue' } }, 'addresses.values is "queue", not a list, each a line of text'],
  [{ addresses: { holder: 'value' } }, 'addresses.holder is not a field of an algorithm'],
  [{ begin: true }, 'begin is true, not a function'],
  [{ finds: { size: 3 } }, 'finds.size is 3, not a function'],
  [{ invariants: () => true }, 'invariants is a function, not an object, each of its fields a function'],
])('%j', (change, flaw) => {
  expect(flawsOf({ ...ricartAgrawala, ...change })[0]).toContain(flaw);
});

test('values that are no algorithm at all', () => {
  for (const value of [null, undefined, 3, 'lamport', () => ({})]) {
    expect(flawsOf(value)).toHaveLength(1);
    expect(looksLikeAlgorithm(value)).toBe(false);
  }
  expect(looksLikeAlgorithm({ name: 'a constant' })).toBe(false);
  expect(flawsOf({})).toContain('problem is missing');
});
