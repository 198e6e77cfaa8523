import { expect, test } from 'vitest';
import { algorithms, type lamport, type naimiTrehel } from '../../src/algorithms/index.ts';
import type { Message } from '../../src/core/algorithm.ts';
import { MessageChecker } from '../../src/core/message-checker.ts';
import type { MessageShape, MessageShapes } from '../../src/core/message-shape.ts';

test.each(algorithms.filter(({ problem }) => problem === 'mutex').map((one) => [one.name, one] as const))(
  '%s declares its messages, each field as narrowly as possible',
  (_, { messages }) => {
    expect(messages).toBeDefined();
    expect(JSON.stringify(messages)).not.toContain('plain');
  },
);

const everything: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 3, -1, 0.5, 2 ** 53, '', 'a', 'b', 'c'],
  ...[[], [0], [2, 1], [1, 1], [3], [0, 5, 9], [0, 5, -9], [0, 5], ['a', 'b', 'a'], ['a', 'b', 'c'], ['a']],
  ...[
    {},
    { 0: 5 },
    { 2: 0 },
    { 3: 0 },
    { '00': 1 },
    { '-1': 1 },
    { 1: 'a' },
    { constructor: 1 },
    new Map(),
    undefined,
  ],
];

test.each<[MessageShape, readonly unknown[]]>([
  ['boolean', [true, false]],
  ['integer', [0, 1, 2, 3, -1]],
  ['count', [0, 1, 2, 3]],
  ['process', [0, 1, 2]],
  ['processes', [[], [0], [2, 1]]],
  ['count per process', [[0, 5, 9]]],
  ['counts by process', [{}, { 0: 5 }, { 2: 0 }]],
  [{ below: 2 }, [0, 1]],
  [{ perProcess: ['a', 'b'] }, [['a', 'b', 'a']]],
  [
    ['count', 'process'],
    [
      [2, 1],
      [1, 1],
    ],
  ],
])('%j, among three processes', (shape, accepted) => {
  const checker = new MessageChecker({ message: { x: shape } }, 3);
  const isAccepted = (x: unknown) => checker.accepts({ type: 'message', x } as Message);
  expect(everything.filter(isAccepted)).toEqual(accepted);
});

test('plain is any plain data', () => {
  const checker = new MessageChecker({ message: { x: 'plain' } }, 3);
  const refused = everything.filter((x) => !checker.accepts({ type: 'message', x } as Message));
  expect(refused).toEqual([new Map(), undefined]);
});

test('a message has exactly the declared fields, none of them inherited', () => {
  const checker = new MessageChecker(
    { message: { x: 'count' }, odd: { valueOf: 'plain' } } as MessageShapes,
    3,
  );
  const isAccepted = (message: object) => checker.accepts(message as Message);
  expect(isAccepted({ type: 'message', x: 1 })).toBe(true);
  expect(isAccepted({ type: 'message' })).toBe(false);
  expect(isAccepted({ type: 'message', y: 1 })).toBe(false);
  expect(isAccepted({ type: 'message', x: 1, y: 1 })).toBe(false);
  expect(isAccepted({ type: 'odd', y: 1 })).toBe(false);
  for (const type of ['constructor', '__proto__', 'toString', 'other'])
    expect(isAccepted({ type, x: 1 })).toBe(false);
});

test('the compiler refuses a declaration that does not fit the messages', () => {
  type OfLamport = NonNullable<(typeof lamport)['messages']>;
  type OfNaimi = NonNullable<(typeof naimiTrehel)['messages']>;
  const right: OfNaimi = { request: { origin: 'process' }, token: {} };
  // @ts-expect-error a field is missing
  const missing: OfNaimi = { request: {}, token: {} };
  // @ts-expect-error a field is misspelt
  const misspelt: OfNaimi = { request: { orign: 'process' }, token: {} };
  // @ts-expect-error a kind is missing
  const kind: OfNaimi = { request: { origin: 'process' } };
  // @ts-expect-error a number is no list
  const list: OfNaimi = { request: { origin: 'processes' }, token: {} };
  // @ts-expect-error each kind has the field
  const shared: OfLamport = { request: { t: 'count' }, acknowledge: {}, release: { t: 'count' } };
  expect([right, missing, misspelt, kind, list, shared]).toHaveLength(6);
});
