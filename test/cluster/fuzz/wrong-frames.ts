// Frames that no working member sends, made from real ones by the declaration of their algorithm. They are wrong by construction, not by
// the code under test: a forged frame that is right would be a token that nobody checks.
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import type { MessageShape } from '../../../src/core/message-shape.ts';

type RunFrame = {
  readonly entry: number;
  readonly as: number;
  readonly stamp: readonly number[] | null;
  readonly message: { readonly type: string };
};

const noCounts = [null, true, 'x', '0', -1, 0.5, 2 ** 53, 1e300, [], [0], {}, { length: 1 }];
const noLists = [null, true, 0, 'x', {}, { length: 0 }, { 0: 0 }];

/** Values that a field of this shape never holds. */
export function wrongValues(shape: MessageShape, n: number): readonly unknown[] {
  if (typeof shape === 'string') return wrong[shape](n);
  if ('below' in shape) return [...noCounts, shape.below, shape.below + 1];
  if ('perProcess' in shape) {
    const [one] = shape.perProcess;
    return [
      ...noLists,
      [],
      Array(n).fill('?'),
      Array(n).fill(0),
      Array(n + 1).fill(one),
      Array(n).fill([one]),
    ];
  }
  const right = shape.map(() => 0);
  const parts = shape.flatMap((part, k) =>
    wrongValues(part, n).map((value) => right.with(k, value as number)),
  );
  return [...noLists, right.slice(1), [...right, 0], ...parts];
}

const wrong: Readonly<Record<MessageShape & string, (n: number) => readonly unknown[]>> = {
  boolean: () => [null, 0, 'true'],
  integer: () => noCounts.filter((value) => value !== -1),
  count: () => noCounts,
  process: (n) => [...noCounts, n, n + 1, 999],
  processes: (n) => [
    ...noLists,
    ...[[n], [-1], [0.5], [0, 0], [null], ['0'], [[0]], [{}]],
    Array.from({ length: n + 1 }, (_, k) => k),
    Array(100_000).fill(0),
  ],
  'count per process': (n) => [
    ...noLists,
    ...[[], Array(n - 1).fill(0), Array(n + 1).fill(0)],
    ...[-1, '0', null, 0.5, [0]].map((one) => Array(n).fill(one)),
  ],
  'counts by process': (n) => [
    ...[null, true, 0, 'x', [], [1, 2, 3]],
    ...[
      { [n]: 1 },
      { x: 1 },
      { 0: -1 },
      { 0: null },
      { 0: '1' },
      { constructor: 1 },
      { '01': 1 },
      { '-1': 1 },
    ],
  ],
  plain: () => [],
};

const oddTypes = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '', 'marker', 'nothing'];
const oddKeys = ['x', 'constructor', 'toString', 'length', 'type2'];

/** All frames with one mistake that are made from this one. */
export function wrongFrames<F extends RunFrame>(
  frame: F,
  { messages, timers = [] }: AnyAlgorithm,
  n: number,
): object[] {
  const { message, stamp } = frame;
  const shapes = messages![message.type]!;
  const fields = Object.keys(shapes);
  const rest = (left: string) =>
    Object.fromEntries(Object.entries(message).filter(([field]) => field !== left));
  const wrongMessages: unknown[] = [
    ...fields.flatMap((field) =>
      wrongValues(shapes[field]!, n).map((value) => ({ ...message, [field]: value })),
    ),
    ...fields.map(rest),
    ...oddKeys.map((key) => ({ ...message, [key]: 1 })),
    ...oddTypes.map((type) => ({ ...message, type })),
    ...timers.map((type) => ({ type })), // a process sends these to itself
    ...[null, 0, [], {}, 'x', { type: 1 }, { type: null }],
  ];
  const wrongStamps = [
    ...[[], [0], Array(n * n + 1).fill(0), Array(n * n).fill(-1), 'x', 0, {}],
    stamp === null ? Array(n * n).fill(0) : null,
    Array(n * n).fill(2 ** 40),
  ];
  return [
    ...wrongMessages.map((one) => ({ ...frame, message: one })),
    ...[2 ** 30, 2 ** 53 - 1, 2 ** 20, -1, null, 'x'].map((entry) => ({ ...frame, entry })),
    ...[n, 500, 2 ** 32, -1, 0.5, null, '0', [0]].map((as) => ({ ...frame, as })),
    ...wrongStamps.map((one) => ({ ...frame, stamp: one })),
  ];
}
