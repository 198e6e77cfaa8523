// The algorithm's own lemmas: checked by default, with reductions that leave out nothing they can see.
import { describe, expect, test } from 'vitest';
import { lamport, raymond, ricartAgrawala } from '../../src/algorithms/index.ts';
import { type CheckOptions, check } from '../../src/check/index.ts';
import type { Algorithm, ChannelKind } from '../../src/core/algorithm.ts';
import { countInFlight, forEvery } from '../../src/core/world-queries.ts';

type State = { gotX: boolean; gotY: boolean; inside: boolean };
type Message = { type: 'x' } | { type: 'y' };
type Invariants = NonNullable<TwoReceipts['invariants']>;
type TwoReceipts = Algorithm<'mutex', State, Message, ['me']>;

/** A process that asks enters. At first, x is on its way to process 0, and y to process 1. A reduction delivers one of them first, in every run. */
const twoReceipts = (channels: ChannelKind, invariants: Invariants): TwoReceipts => ({
  name: 'two-receipts',
  problem: 'mutex',
  paper: 'none',
  assumes: { topology: 'complete', channels, failures: 'none', timing: 'asynchronous' },
  knows: ['me'],
  bounds: [],
  init: () => ({ gotX: false, gotY: false, inside: false }),
  begin: (_, p) => p.send(1 - p.me, { type: p.me === 0 ? 'y' : 'x' }),
  calls: {
    request(s, p) {
      s.inside = true;
      p.emit({ type: 'entered' });
    },
    release(s) {
      s.inside = false;
    },
  },
  on: {
    x(s) {
      s.gotX = true;
    },
    y(s) {
      s.gotY = true;
    },
  },
  invariants,
});

const only = { n: 2, start: [{ process: 0 }] };

/** Each lemma fails if one of the two messages is received first, and holds if the other one is. */
const lemmas: Record<string, (first: 0 | 1) => Invariants[string]> = {
  'a field':
    (first) =>
    ({ states }) => {
      const [x, y] = [states[0]!.gotX, states[1]!.gotY];
      return first === 0 ? !x || y : !y || x;
    },
  'messages in flight': (first) => (world) => {
    const [x, y] = [countInFlight(world, 'x'), countInFlight(world, 'y')];
    return first === 0 ? x >= y : y >= x;
  },
  'all messages': (first) => (world) =>
    world.inFlight.every(({ to }) => world.inFlight.length > 1 || to === first),
  'the processes that satisfy a condition': (first) =>
    first === 0
      ? forEvery(
          (s) => !s.gotX,
          ({ states }, i) => i !== 0 || !states[1]!.gotY,
        )
      : forEvery(
          (s) => !s.gotY,
          ({ states }, i) => i !== 1 || !states[0]!.gotX,
        ),
  'fields that matter only while somebody is inside':
    (first) =>
    ({ states }) =>
      !states.some((s) => s.inside) ||
      (first === 0 ? !states[0]!.gotX || states[1]!.gotY : !states[1]!.gotY || states[0]!.gotX),
};

const channelKinds: ChannelKind[] = ['unordered', 'fifo', 'causal'];

describe.each(channelKinds)('on %s channels', (channels) => {
  describe.each(Object.entries(lemmas))('a lemma reads %s', (_, lemma) => {
    test.each([0, 1] as const)('and fails, whichever message a reduction delivers first (%i)', (first) => {
      const algorithm = twoReceipts(channels, { lemma: lemma(first) });
      expect(check(algorithm, only)).toMatchObject({ verdict: 'violated', violation: { property: 'lemma' } });
      expect(check(algorithm, only, { lemmas: false }).verdict).toBe('holds');
    });
  });
});

describe('reductions', () => {
  const statesOf = (options: CheckOptions) => check(ricartAgrawala, { n: 4 }, options).states;

  test('a lemma about processes that satisfy a condition costs no state', () => {
    expect(statesOf({})).toBe(statesOf({ lemmas: false }));
    expect(statesOf({})).toBe(7618);
  });

  test('ricart-agrawala holds for five processes', () => {
    expect(check(ricartAgrawala, { n: 5 })).toMatchObject({ verdict: 'holds', states: 138_118 });
  });
});

describe('what a failed lemma says', () => {
  test('the processes and values that it read', () => {
    const algorithm = twoReceipts('fifo', {
      'x comes first': ({ states }) => !states[1]!.gotY || states[0]!.gotX,
    });
    expect(check(algorithm, only).violation?.why).toBe(
      'it fails: process 0 has gotX false; process 1 has gotY true',
    );
  });

  test('the messages in flight', () => {
    const algorithm = twoReceipts('fifo', {
      'x comes first': (world) => countInFlight(world, 'x') <= countInFlight(world, 'y'),
    });
    expect(check(algorithm, only).violation?.why).toBe('it fails: in flight: x from 1 to 0');
  });

  test('the process for which it fails', () => {
    const invariants = {
      'who got y is process 0': forEvery(
        (s: State) => s.gotY,
        (_, i) => i === 0,
      ),
    };
    expect(check(twoReceipts('fifo', invariants), only).violation?.why).toMatch('it fails for process 1');
  });

  test('that it throws', () => {
    const invariants = { broken: ({ states }: { states: readonly State[] }) => states[2]!.gotX };
    const { violation } = check(twoReceipts('fifo', invariants), only);
    expect(violation).toMatchObject({
      property: 'broken',
      why: expect.stringMatching(/^it throws TypeError/),
    });
  });
});

describe('a field that no state has', () => {
  test('is reported if a lemma reads it, also where the lemma would hold', () => {
    for (const wanted of [true, undefined]) {
      const isWanted = ({ gotZ }: { gotZ?: boolean }) => gotZ === wanted;
      const algorithm = twoReceipts('fifo', { misspelled: ({ states }) => isWanted(states[0] as object) });
      expect(() => check(algorithm, only)).toThrow(
        "the lemma 'misspelled' reads the field gotZ, which no state has at first: a state has the fields gotX, gotY, inside",
      );
    }
  });

  test('is reported if a handler reads it', () => {
    const algorithm = twoReceipts('fifo', {});
    // biome-ignore lint/suspicious/noExplicitAny: the mistake
    const x = (s: any) => (s.isnide += 1);
    expect(() => check({ ...algorithm, on: { ...algorithm.on, x } }, only)).toThrow(
      'the handler of x reads the field isnide, which no state has at first',
    );
  });
});

test('a lemma may write a state as text', () => {
  const invariants = {
    'x comes first': ({ states }: { states: readonly State[] }) =>
      !JSON.stringify(states).includes('"gotY":true'),
  };
  expect(check(twoReceipts('fifo', invariants), only).violation?.property).toBe('x comes first');
});

describe('lemmas are left out', () => {
  test('if you say so', () => {
    expect(check(raymond, { n: 2 }).properties).toContain('one privilege');
    expect(check(raymond, { n: 2 }, { lemmas: false })).toMatchObject({
      properties: expect.not.arrayContaining(['one privilege']),
      notChecked: null,
    });
  });

  test('where an assumption of the algorithm does not hold, and the report says so', () => {
    const why = 'its lemmas: they need not hold where its assumptions do not';
    expect(check(lamport, { n: 2, channels: 'unordered' }).notChecked).toBe(why);
    expect(check(raymond, { n: 2 }, { losses: 1 }).notChecked).toBe(why);
    expect(check(raymond, { n: 2 }, { losses: 1, lemmas: true }).properties).toContain('one privilege');
  });

  test('where processes crash', () => {
    expect(check(raymond, { n: 2 }, { crashes: 1 }).notChecked).toBe(
      'its lemmas: a process that has crashed has no state',
    );
  });
});
