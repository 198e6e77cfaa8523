// The bounds on the longest chain and on the sizes of messages, over every interleaving.
import { describe, expect, test } from 'vitest';
import {
  changRoberts,
  itaiRodeh,
  lamport,
  peterson,
  ricartAgrawalaToken,
  suzukiKasami,
  tokenRing,
} from '../../src/algorithms/index.ts';
import { type CheckOptions, check, randomWalk, type Space } from '../../src/check/index.ts';
import type { Algorithm, AnyAlgorithm, Bound, ChannelKind } from '../../src/core/algorithm.ts';
import { allStart, alone, bitsOf, elementsOf, longestChain } from '../../src/core/bounds.ts';
import { parseTrace, type Trace } from '../../src/core/trace.ts';
import { rings } from '../conformance/conformance.ts';
import { thorough } from '../tiers.ts';

const withBounds = (algorithm: unknown, ...bounds: readonly Bound[]): AnyAlgorithm => ({
  ...(algorithm as AnyAlgorithm),
  bounds,
});

const on = (algorithm: AnyAlgorithm, channels: ChannelKind): AnyAlgorithm => ({
  ...algorithm,
  assumes: { ...algorithm.assumes, channels },
});

/** Checks with reductions and without. Both must have the same verdict, and their counterexamples the same length. */
function verdictOf(algorithm: AnyAlgorithm, space: Space, options: CheckOptions = {}) {
  const asked = { bounds: true, lemmas: false, ...options };
  const [reduced, full] = [true, false].map((reduction) => check(algorithm, space, { ...asked, reduction }));
  expect(reduced!.verdict).toBe(full!.verdict);
  expect(reduced!.violation?.why).toBe(full!.violation?.why);
  expect(lengthOf(reduced!.violation)).toBe(lengthOf(full!.violation));
  return reduced!;
}

const lengthOf = (violation: { readonly trace: string } | null) => violation?.trace.split('\n').length;

/** Returns the longest chain that ends at a process, as the trace shows it. */
function chainIn({ events, scenario }: Trace, kinds: readonly string[]): number {
  const chains = Array<number>(Number(scenario.n)).fill(0);
  const sent = new Map<number, number>();
  for (const { process, input, outputs } of events) {
    if (input.kind === 'recv') chains[process] = Math.max(chains[process]!, sent.get(input.serial)!);
    for (const output of outputs)
      if (output.kind === 'send')
        sent.set(output.serial, chains[process]! + (kinds.includes(output.message.type) ? 1 : 0));
  }
  return Math.max(...chains);
}

/** Process 0 sends x at once, and again after y. Both messages are equal, but the second one ends a longer chain. */
const twice: Algorithm<'election', { done: boolean }, { type: 'x' | 'y' }, ['me']> = {
  name: 'twice',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me'],
  bounds: [],
  init: () => ({ done: false }),
  calls: {
    start(_, p) {
      if (p.me === 0) p.send(1, { type: 'x' });
      else p.send(0, { type: 'y' });
      p.emit({ type: 'elected', leader: 0 });
    },
  },
  on: {
    x(_, p) {
      p.emit({ type: 'elected', leader: 0 });
    },
    y(_, p) {
      p.send(1, { type: 'x' });
      p.emit({ type: 'elected', leader: 0 });
    },
  },
};

describe('sizes', () => {
  test('suzuki-kasami and ricart-agrawala-token keep theirs, and no state is added', () => {
    for (const algorithm of [suzukiKasami, ricartAgrawalaToken]) {
      const messages = algorithm.bounds.filter(({ measures }) => measures === 'messages');
      for (const space of [{ n: 2, entries: 2 }, { n: 3 }]) {
        const report = verdictOf(algorithm as never, space);
        expect(report).toMatchObject({ verdict: 'holds' });
        expect(report.properties).toContain('the size bound');
        expect(report.states).toBe(verdictOf(withBounds(algorithm, ...(messages as Bound[])), space).states);
      }
    }
  });

  test.each(['unordered', 'fifo', 'causal'] as const)(
    'a bound that is too small is found, %s',
    (channels) => {
      const most = (k: number) =>
        on(
          withBounds(
            suzukiKasami,
            elementsOf.atMost(['privilege'], 'k', 'planted', () => k),
          ),
          channels,
        );
      expect(verdictOf(most(5), { n: 3 }).violation).toBeNull();
      expect(verdictOf(most(4), { n: 3 }).violation).toMatchObject({
        property: 'the size bound',
        why: 'the number of elements of privilege is 5, but at most 4 = k (planted)',
      });
    },
  );

  test('so is one that is too large from below, or in bits', () => {
    const atLeast = withBounds(
      suzukiKasami,
      elementsOf.atLeast(['privilege'], 'n+2', 'planted', ({ n }) => n + 2),
    );
    expect(verdictOf(atLeast, { n: 2 }).violation?.why).toBe(
      'the number of elements of privilege is 3, but at least 4 = n+2 (planted)',
    );
    const bits = withBounds(
      suzukiKasami,
      bitsOf.atMost(['request'], '1', 'planted', () => 1),
    );
    expect(verdictOf(bits, { n: 2 }).verdict).toBe('holds');
    expect(verdictOf(bits, { n: 2, entries: 2 }).violation?.why).toBe(
      'the number of bits of request is 2, but at most 1 = 1 (planted)',
    );
  });

  test('runs that never end keep them, too', () => {
    const kind = Object.keys(tokenRing.on)[0]!;
    const most = (k: number) =>
      withBounds(
        tokenRing,
        elementsOf.atMost([kind], 'k', 'planted', () => k),
      );
    expect(check(most(9), { n: 2 }, { bounds: true }).properties).toContain('the size bound');
    expect(check(most(0), { n: 2 }, { bounds: true }).violation?.property).toBe('the size bound');
    expect(randomWalk(most(0), { n: 2 }, { bounds: true }).violation?.property).toBe('the size bound');
  });

  /** Process 0 leads. Whichever process starts tells the other one; process 1 with a longer message. */
  const telling: Algorithm<'election', { done: boolean }, { type: 'x' | 'y'; list: number[] }, ['me']> = {
    ...twice,
    name: 'telling',
    calls: {
      start(_, p) {
        p.send(1 - p.me, p.me === 1 ? { type: 'x', list: [0] } : { type: 'y', list: [] });
        p.emit({ type: 'elected', leader: 0 });
      },
    },
    on: {
      x: (_, p) => p.emit({ type: 'elected', leader: 0 }),
      y: (_, p) => p.emit({ type: 'elected', leader: 0 }),
    },
  };

  test('a bound whose condition depends on who starts is judged by who has', () => {
    const bothStart = {
      condition: 'two start',
      holds: ({ initiators }: { initiators: number }) => initiators === 2,
    };
    const most = (k: number, when: Bound['when']) =>
      withBounds(
        telling,
        elementsOf.atMost(['x'], 'k', 'planted', () => k, when),
      );
    const only = [{ process: 1 }];
    const broken = (algorithm: AnyAlgorithm, space: Space = {}) =>
      verdictOf(algorithm, { n: 2, ...space }).violation?.why;
    const why = 'the number of elements of x is 2, but at most 1 = k (planted)';
    expect(broken(most(1, bothStart), { start: only })).toBeUndefined();
    expect(broken(most(1, bothStart))).toBe(why);
    expect(broken(most(2, bothStart))).toBeUndefined();
    expect(broken(most(1, alone), { start: only })).toBe(why);
    expect(broken(most(1, alone))).toBe(why); // in the run in which process 0 does not start
  });
});

describe('the longest chain', () => {
  const petersonAtMost = (k: number) =>
    withBounds(
      peterson,
      longestChain.atMost(['tid'], 'k', 'planted', () => k),
    );

  /** Expects the longest chain over every interleaving of every ring. */
  function expectLongest(n: number, longest: number, together: boolean): void {
    const options = { bounds: true, lemmas: false, together };
    let isAttained = false;
    for (const ids of rings(n)) {
      expect(check(petersonAtMost(longest), { ids }, options).violation).toBeNull();
      isAttained ||= check(petersonAtMost(longest - 1), { ids }, options).violation !== null;
    }
    expect(isAttained).toBe(true);
  }

  const inUnitTime = [1, 3, 4, 7, 9, 11, 13]; // for n = 1, 2, ..: see test/sim/measured-bounds.test.ts

  test.each(inUnitTime.slice(0, 6).map((longest, k) => [k + 1, longest] as const))(
    'peterson, n = %i, all start at once: %i messages, as in unit time',
    (n, longest) => {
      expectLongest(n, longest, true);
      for (const ids of rings(n))
        expect(check(peterson, { ids }, { bounds: true, together: true }).verdict).toBe('holds');
    },
  );

  thorough('peterson, n = 7, all start at once: 13 messages, as in unit time', () =>
    expectLongest(7, inUnitTime[6]!, true),
  );

  test.each([
    [1, 1],
    [2, 4],
    [3, 6],
    [4, 10],
  ])('peterson, n = %i, not all at once: %i messages, from n = 2 on more than 2n-1', (n, longest) => {
    expectLongest(n, longest, false);
  });

  test.each(['unordered', 'fifo', 'causal'] as const)(
    'a bound that is too small is found, %s',
    (channels) => {
      const kinds = ['election'];
      const firstAlone = { ids: [1, 2, 3], start: [{ process: 0 }] };
      const most = (k: number) =>
        on(
          withBounds(
            changRoberts,
            longestChain.atMost(kinds, 'k', 'planted', () => k),
          ),
          channels,
        );
      expect(verdictOf(most(5), firstAlone).violation).toBeNull();
      const { violation } = verdictOf(most(4), firstAlone);
      expect(violation).toMatchObject({
        property: 'the chain bound',
        why: 'the longest chain is 5, but at most 4 = k (planted)',
      });
      expect(chainIn(parseTrace(violation!.trace), kinds)).toBe(5);
    },
  );

  test('from below it is judged at the end', () => {
    const least = (k: number) =>
      withBounds(
        changRoberts,
        longestChain.atLeast(['election'], 'k', 'planted', () => k),
      );
    const lastAlone = { ids: [1, 2, 3], start: [{ process: 2 }] };
    expect(verdictOf(least(3), lastAlone).violation).toBeNull();
    expect(verdictOf(least(4), lastAlone).violation).toMatchObject({
      property: 'the chain bound',
      why: 'the longest chain is 3, but at least 4 = k (planted)',
    });
  });

  test('rotations and rounds: itai-rodeh has finitely many states, and chains of any length', () => {
    const most = (k: number) =>
      withBounds(
        itaiRodeh,
        longestChain.atMost(['candidate'], 'k', 'planted', () => k),
      );
    for (const k of [3, 6])
      expect(check(most(k), { n: 2 }, { bounds: true }).violation).toMatchObject({
        property: 'the chain bound',
        why: `the longest chain is ${k + 1}, but at most ${k} = k (planted)`,
      });
    const least = withBounds(
      itaiRodeh,
      longestChain.atLeast(['candidate'], '2', 'planted', () => 2),
    );
    expect(check(least, { n: 2 }, { bounds: true, lemmas: false })).toMatchObject({
      verdict: 'holds',
      reduction: expect.stringContaining('rounds'),
    });
  });

  test('equal messages of different chains are told apart, in the trace, too', () => {
    const kinds = ['x', 'y'];
    const most = (k: number) =>
      withBounds(
        twice,
        longestChain.atMost(kinds, 'k', 'planted', () => k),
      );
    expect(verdictOf(most(2), { n: 2 }, { together: true }).violation).toBeNull();
    const { violation } = verdictOf(most(1), { n: 2 }, { together: true });
    expect(violation?.property).toBe('the chain bound');
    expect(chainIn(parseTrace(violation!.trace), kinds)).toBe(2);
  });

  test('no state is added where the condition of the bound cannot hold', () => {
    const states = (bounds: readonly Bound[], options: CheckOptions) =>
      check(withBounds(peterson, ...bounds), { ids: [2, 3, 1] }, { bounds: true, ...options }).states;
    const messages = (peterson.bounds as readonly Bound[]).filter(({ measures }) => measures === 'messages');
    expect(states(peterson.bounds, {})).toBe(states(messages, {}));
  });
});

describe('the report', () => {
  const reportOf = (algorithm: AnyAlgorithm, options: CheckOptions) => {
    const { properties, notChecked } = check(
      algorithm,
      { n: 2 },
      { bounds: true, lemmas: false, ...options },
    );
    return { bounds: properties.filter((property) => property.endsWith('bound')), notChecked };
  };

  test('says which bounds were checked, and which were not', () => {
    expect(reportOf(peterson as never, { together: true })).toEqual({
      bounds: ['the message bound', 'the chain bound'],
      notChecked: null,
    });
    expect(reportOf(peterson as never, {})).toEqual({
      bounds: ['the message bound'],
      notChecked: 'its bounds on the longest chain: they apply only if all start at once',
    });
    expect(reportOf(suzukiKasami as never, {})).toEqual({
      bounds: ['the message bound', 'the size bound'],
      notChecked: 'its bounds on the synchronisation delay: baton simulate measures times and totals',
    });
    expect(reportOf(suzukiKasami as never, { losses: 1 })).toEqual({
      bounds: [],
      notChecked: 'its bounds: they need not hold where something fails',
    });
  });

  test('says nothing of bounds unless they are asked for', () => {
    expect(check(lamport, { n: 2 }).notChecked).toBeNull();
  });

  test('a bound with a condition is judged if it holds', () => {
    const most = withBounds(
      peterson,
      longestChain.atMost(['tid'], '1', 'planted', () => 1, allStart),
    );
    expect(check(most, { n: 2 }, { bounds: true }).violation).toBeNull();
    expect(check(most, { n: 2 }, { bounds: true, together: true }).violation?.property).toBe(
      'the chain bound',
    );
  });
});
