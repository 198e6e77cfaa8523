// An algorithm that breaks its contract where nobody could see it beforehand: the member leaves the group with the reason, its
// process lives on, and the others go on without it.
import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { inOwnDirectory } from './directory.ts';
import { codeFrom, members } from './members.ts';

inOwnDirectory();

// biome-ignore lint/suspicious/noExplicitAny: these handlers do what no type allows
type Mistake = (s: any, p: any, m: any, from: number) => void;

/** The mistake is made by the coordinator, when another member asks. */
const flawed = (mistake: Mistake): AnyAlgorithm => ({
  ...(centralCoordinator as AnyAlgorithm),
  name: 'flawed',
  on: { ...centralCoordinator.on, request: mistake },
});

const mistakes: readonly (readonly [string, Mistake, string])[] = [
  [
    'emits denied',
    (_s, p) => p.emit({ type: 'denied' }),
    "it emits 'denied', which is not an event of mutual exclusion",
  ],
  [
    'sends a Date',
    (_s, p, _m, from) => p.send(from, { type: 'granted', at: new Date(0) }),
    "its message 'granted' holds a Date, which is not plain data",
  ],
  [
    'throws',
    () => {
      throw new TypeError('queue is not iterable');
    },
    'queue is not iterable',
  ],
];

describe.each(mistakes)('a lock that %s', (_, mistake, sentence) => {
  test('is left by the member it breaks at, and by no other', async () => {
    const groups = await members(2, { algorithm: flawed(mistake) });
    const outs = groups.map((group) => new Promise<string>((resolve) => group.on('out', resolve)));
    const asked = groups.map((group) => group.lock('a'));
    const why = await Promise.race(outs);
    expect(why).toMatch(/^group 'group-\d+' has been left: flawed breaks its contract at process [01]: /);
    expect(why).toContain(sentence);

    const codes = await Promise.all(groups.map((group) => codeFrom(group.lock('b', { timeoutMs: 2000 }))));
    expect(codes.sort()).toEqual(['broken', 'none']);
    const outcomes = await Promise.allSettled(asked);
    const granted = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(granted.filter(({ state }) => state === 'held')).toHaveLength(1);
    for (const { state, signal } of granted) expect(signal.aborted).toBe(state !== 'held');
    for (const one of outcomes)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'broken', message: why });
  });
});
