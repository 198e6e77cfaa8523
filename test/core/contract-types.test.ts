// A fact that an algorithm does not declare is absent from its type. The compiler checks this file; each marked line must be an error.
import { expect, test } from 'vitest';
import {
  changRoberts,
  helaryPlouzeauRaynal,
  itaiRodeh,
  type ricartAgrawala,
} from '../../src/algorithms/index.ts';
import type { Algorithm, AllFacts, Knowledge } from '../../src/core/algorithm.ts';
import { Simulation, simulate } from '../../src/sim/index.ts';

test('undeclared facts cannot be read: n, names and positions', () => {
  const seen: unknown[] = [];
  const curious: typeof changRoberts = {
    ...changRoberts,
    calls: {
      start(s, p) {
        // @ts-expect-error Chang and Roberts do not know n
        seen.push(p.n);
        // @ts-expect-error nor where they are
        seen.push(p.me);
        // @ts-expect-error nor the position of the next process
        seen.push(p.neighbours);
        changRoberts.calls.start(s, p);
      },
    },
    on: {
      ...changRoberts.on,
      election(s, p, m, from) {
        expect(from).toBe(0); // a link of its own, not a position
        changRoberts.on.election(s, p, m, from);
      },
    },
  };
  expect(simulate(curious, { n: 4 }).ok).toBe(true);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test('an anonymous process has no id, a process of an unknown network no n', () => {
  const seen: unknown[] = [];
  const anonymous: typeof itaiRodeh = {
    ...itaiRodeh,
    init(place) {
      // @ts-expect-error processes are anonymous
      seen.push(place.id);
      return itaiRodeh.init(place);
    },
  };
  const local: typeof helaryPlouzeauRaynal = {
    ...helaryPlouzeauRaynal,
    init(place) {
      // @ts-expect-error only the neighbours are known
      seen.push(place.n);
      return helaryPlouzeauRaynal.init(place);
    },
  };
  expect(simulate(anonymous).ok).toBe(true);
  expect(simulate(local).ok).toBe(true);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test('the compiler rejects unknown messages, calls of another problem and unknown timers', () => {
  const wrong: Partial<typeof ricartAgrawala> = {
    // @ts-expect-error a mutex is not started
    calls: { start() {} },
    on: {
      request(_s, p) {
        // @ts-expect-error there is no such message
        p.send(0, { type: 'acknowledge' });
      },
      reply() {},
    },
    timers: ['reply'],
    // @ts-expect-error it declares three facts
    knows: ['id'],
  };
  expect(wrong).toBeDefined();
});

test('trees: the parent is the neighbour towards the root, by Pid or by link', () => {
  const asker = <K extends Knowledge>(
    knows: K,
  ): Algorithm<'election', { parent: number | null }, { type: 'm' }, K> => ({
    name: 'asker',
    problem: 'election',
    paper: 'none',
    assumes: { topology: 'tree', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
    knows,
    bounds: [],
    init: (place) => ({ parent: (place as Partial<AllFacts>).parent ?? null }),
    calls: { start() {} },
    on: { m() {} },
  });
  const parents = (knows: Knowledge, root: number) =>
    (new Simulation(asker(knows), { n: 5, topology: 'line', root }).states as { parent: number }[]).map(
      (s) => s.parent,
    );
  expect(parents(['me', 'parent'], 2)).toEqual([1, 2, null, 2, 3]);
  expect(parents(['parent'], 2)).toEqual([0, 1, null, 0, 0]);
  expect(() => simulate(asker(['parent']), { n: 5, topology: 'ring' })).toThrow(
    'asker runs on a tree network',
  );
});

test('the compiler rejects states and messages that are not plain data', () => {
  type Fine = Algorithm<
    'mutex',
    { seen: boolean[]; of: { [name: number]: number } },
    { type: 'm'; list: readonly number[] },
    []
  >;
  // @ts-expect-error a Map is not plain
  type Mapped = Algorithm<'mutex', { seen: Map<number, number> }, { type: 'm' }, []>;
  // @ts-expect-error a function is not plain
  type Functional = Algorithm<'mutex', { seen: null }, { type: 'm'; then: () => void }, []>;
  const checked: [Fine?, Mapped?, Functional?] = [];
  expect(checked).toEqual([]);
});
