// What an algorithm declares of its messages is neither too narrow nor too wide: a member of a group refuses everything else.
import { expect, test } from 'vitest';
import type { AnyAlgorithm, Message } from '../../src/core/algorithm.ts';
import { MessageChecker, shapeCheck } from '../../src/core/message-checker.ts';
import type { MessageShape } from '../../src/core/message-shape.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { seedsOf } from '../tiers.ts';

/** The shapes that refuse more than this one. A run must send something that each of them refuses. */
function narrowerThan(shape: MessageShape): MessageShape[] {
  if (typeof shape === 'string') return narrower[shape];
  if ('below' in shape) return [{ below: shape.below - 1 }];
  if ('perProcess' in shape)
    return shape.perProcess.map((left) => ({ perProcess: shape.perProcess.filter((one) => one !== left) }));
  return shape.flatMap((part, k) => narrowerThan(part).map((less) => shape.with(k, less)));
}

const narrower: Readonly<Record<MessageShape & string, MessageShape[]>> = {
  plain: ['boolean', 'integer', 'processes', 'count per process', 'counts by process'],
  boolean: [],
  integer: ['count'],
  count: ['process'],
  process: [{ below: 1 }],
  processes: [[]],
  'count per process': ['processes'],
  'counts by process': [],
};

export function describeMessageShapes(algorithm: AnyAlgorithm, scenarioOf: (seed: number) => Scenario): void {
  const { messages } = algorithm;
  if (messages === undefined) return;
  test('every message has the declared fields, and no narrower declaration would do', () => {
    const tooNarrow = Object.entries(messages).flatMap(([type, fields]) =>
      Object.entries(fields).flatMap(([field, shape]) =>
        narrowerThan(shape).map((less) => ({ type, field, less, isRefuted: false })),
      ),
    );
    for (let seed = 0; seed < seedsOf(1000); seed += 1) {
      const received: Message[] = [];
      const on = Object.fromEntries(
        Object.entries(algorithm.on).map(([type, handle]) => [
          type,
          (s: unknown, p: unknown, m: Message, from: number) => {
            received.push(m);
            handle(s, p, m, from);
          },
        ]),
      );
      const { n } = simulate({ ...algorithm, on }, scenarioOf(seed));
      const checker = new MessageChecker(messages, n);
      for (const message of received) expect(checker.accepts(message), JSON.stringify(message)).toBe(true);
      for (const one of tooNarrow.filter(({ isRefuted }) => !isRefuted)) {
        const accepts = shapeCheck(one.less, n);
        one.isRefuted = received.some((m) => m.type === one.type && !accepts(m[one.field as keyof Message]));
      }
    }
    expect(tooNarrow.filter(({ isRefuted }) => !isRefuted)).toEqual([]);
  });
}
