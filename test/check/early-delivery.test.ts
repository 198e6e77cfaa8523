// Early delivery: where a message may as well arrive first, the search follows only its receipt, until an event contradicts that claim.
// This leaves out worlds, but no quiescent one. If two processes are inside in some world, the search still visits such a world.

import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { algorithms, ricartAgrawala } from '../../src/algorithms/index.ts';
import { configOf, type Space } from '../../src/check/config.ts';
import { stateAt } from '../../src/check/ids.ts';
import { check } from '../../src/check/index.ts';
import { MessagePassing } from '../../src/check/messages/message-passing.ts';
import { Model } from '../../src/check/model/model.ts';
import { CommuteClaims } from '../../src/check/reduction/early-delivery.ts';
import { Search } from '../../src/check/search.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import { mutants } from '../../src/mutants/index.ts';

const maxStates = 20_000;

/** Reports no violation in any world, so the search goes on to the end. */
class Unjudged extends Model {
  override broken(): null {
    return null;
  }

  override brokenWhenQuiescent(): null {
    return null;
  }
}

interface Seen {
  readonly states: number;
  readonly ends: readonly string[];
  readonly isCrowded: boolean; // in some world two processes are inside
  readonly breaks: boolean;
}

/** Returns null if early delivery does not apply or does not pay, or if the space is too large. */
function explore(algorithm: AnyAlgorithm, space: Space, early: boolean): Seen | null {
  const config = configOf(
    algorithm,
    { ...space, channels: 'unordered' },
    {},
    { claimTries: early ? 1000 : 0 },
  );
  const medium = new MessagePassing(config);
  const model = new Unjudged(medium);
  const limits = { states: maxStates, bytes: Infinity, depth: Infinity };
  const search = new Search(model, { lemmas: false, sleepSets: false }, limits);
  while (search.advance(maxStates));
  if (search.isReductionFutile || search.cutOff !== null || config.earlyDelivery !== early) return null;
  const { data, size: states } = search.worlds;
  const ends = new Set<string>();
  let isCrowded = false;
  for (let world = 0; world < states; world += 1) {
    const at = world * model.width;
    const clients = Array.from({ length: config.setup.n }, (_, i) =>
      medium.states.processStates.clientAt(stateAt(data, at, i)),
    );
    if (clients.filter(({ phase }) => phase === 'inside').length > 1) isCrowded = true;
    model.expand(data, at, null);
    if (!model.successors.mustContinue)
      ends.add(encode({ ...medium.view(data, at), meant: null, sender: null, clients }));
  }
  return { states, ends: [...ends].sort(), isCrowded, breaks: search.found !== null };
}

function compare(
  algorithm: AnyAlgorithm,
  space: Space,
): { readonly full: Seen; readonly reduced: Seen } | null {
  const full = explore(algorithm, space, false);
  const reduced = full && explore(algorithm, space, true);
  if (full === null || reduced === null) return null;
  expect(reduced.breaks).toBe(full.breaks);
  if (full.breaks) return null;
  expect(reduced.ends).toEqual(full.ends);
  expect(reduced.isCrowded).toBe(full.isCrowded);
  return { full, reduced };
}

const all = [...algorithms, ...mutants].filter(({ name }) => !name.includes('+'));

test('every algorithm and mutant has the same quiescent worlds with and without early delivery', () => {
  let compared = 0;
  for (const algorithm of all.filter(({ timers, perpetual }) => timers === undefined && !perpetual)) {
    for (const space of [{ n: 2, entries: 2 }, { n: 3 }])
      if (compare(algorithm, algorithm.problem === 'mutex' ? space : { n: space.n }) !== null) compared += 1;
  }
  expect(compared).toBeGreaterThan(60);
});

// Random algorithms: a table says what each process does in each of three states.

type State = { is: number; phase: 'idle' | 'waiting' | 'inside' };
type Message = { type: 'a' | 'b'; hops: number };
interface Process {
  readonly neighbours: readonly number[];
  send(to: number, message: Message): void;
  emit(event: object): void;
}
interface Reaction {
  readonly becomes: number;
  readonly sends: 'a' | 'b' | null;
  readonly to: 'all' | 'one';
  readonly enters: boolean;
}

const states = 3;
const reaction = fc.record<Reaction>({
  becomes: fc.nat({ max: states - 1 }),
  sends: fc.constantFrom('a', 'b', null),
  to: fc.constantFrom('all', 'one'),
  enters: fc.boolean(),
});
const reactions = fc.array(reaction, { minLength: states, maxLength: states });
const tables = fc.record({ request: reactions, release: reactions, a: reactions, b: reactions });

function algorithmOf(table: Record<'request' | 'release' | 'a' | 'b', readonly Reaction[]>): AnyAlgorithm {
  const handler = (name: keyof typeof table) => (s: State, p: Process, m?: Message, from?: number) => {
    const { becomes, sends, to, enters } = table[name][s.is]!;
    s.is = becomes;
    if (name === 'request') s.phase = 'waiting';
    if (name === 'release') s.phase = 'idle';
    const hops = (m?.hops ?? 2) - 1;
    const receivers = to === 'all' ? p.neighbours : [from ?? p.neighbours[0]!];
    if (sends !== null && hops >= 0) for (const j of receivers) p.send(j, { type: sends, hops });
    if (!enters || s.phase !== 'waiting') return;
    s.phase = 'inside';
    p.emit({ type: 'entered' });
  };
  const generated = {
    ...ricartAgrawala,
    name: 'anybody',
    bounds: [],
    bypass: [],
    invariants: {},
    messages: { a: { hops: 'count' }, b: { hops: 'count' } } as const,
    init: () => ({ is: 0, phase: 'idle' }),
    calls: { request: handler('request'), release: handler('release') },
    on: { a: handler('a'), b: handler('b') },
  };
  return generated as AnyAlgorithm;
}

/** Counts the random algorithms that could be compared, and those of which early delivery left out worlds. */
function compareAny(parameters: fc.Parameters<unknown>): { compared: number; fewer: number } {
  let compared = 0;
  let fewer = 0;
  fc.assert(
    fc.property(tables, fc.integer({ min: 1, max: 2 }), (table, entries) => {
      const seen = compare(algorithmOf(table), { n: 3 - (entries - 1), entries });
      if (seen === null) return;
      compared += 1;
      if (seen.reduced.states < seen.full.states) fewer += 1;
    }),
    parameters,
  );
  return { compared, fewer };
}

test('random algorithms have the same quiescent worlds with and without early delivery', () => {
  compareAny({ numRuns: 75 });
});

test('so do those of a fixed seed, and early delivery leaves out worlds of some', () => {
  const { compared, fewer } = compareAny({ numRuns: 75, seed: 3 });
  expect(compared).toBeGreaterThan(25);
  expect(fewer).toBeGreaterThan(12);
});

describe('when the search does not detect wrong claims', () => {
  afterEach(() => vi.restoreAllMocks());

  test('the comparison fails', () => {
    vi.spyOn(CommuteClaims.prototype, 'isWrong').mockReturnValue(false);
    expect(() => compare(ricartAgrawala, { n: 3 })).toThrow();
    expect(() =>
      fc.assert(fc.property(tables, (table) => void compare(algorithmOf(table), { n: 3 }))),
    ).toThrow();
  });
});

test.each([
  ['ricart-agrawala', { n: 4 }, 7618, 2084955],
  ['ricart-agrawala', { n: 3, entries: 3 }, 59564, 274360],
  ['ricart-agrawala', { n: 3, entries: 2 }, 8119, 44833],
  ['suzuki-kasami', { n: 4 }, 42611, 126799],
  ['carvalho-roucairol', { n: 4 }, 4075, 65297],
  ['naimi-trehel', { n: 4 }, 858, 1476],
  ['list-carrying-ring', { ids: [4, 3, 2, 1] }, 4752, 10_000],
] as const)('%s, %o: number of worlds with and without reduction', (name, space, left, all) => {
  const algorithm = algorithms.find((one) => one.name === name)!;
  const reports = [true, false].map((reduction) =>
    check(algorithm, space as Space, { reduction, lemmas: false }),
  );
  expect(reports.every(({ complete }) => complete)).toBe(true);
  expect(reports.map(({ states }) => states)).toEqual([left, all]);
});

test('suzuki-kasami, n = 3, three entries each: the full search has 3,657,560 worlds, too many to count here', () => {
  const suzukiKasami = algorithms.find(({ name }) => name === 'suzuki-kasami')!;
  expect(check(suzukiKasami, { n: 3, entries: 3 }, { lemmas: false })).toMatchObject({
    complete: true,
    states: 278_357,
  });
});
