// What a process may not know is missing from its type. The compiler checks this file; each line below must be an error.
import { expect, test } from 'vitest';
import {
  changRoberts,
  helaryPlouzeauRaynal,
  itaiRodeh,
  type ricartAgrawala,
} from '../../src/algorithms/index.ts';
import { simulate } from '../../src/sim/index.ts';

test('n, names and positions cannot be read where the paper hides them', () => {
  const seen: unknown[] = [];
  const curious: typeof changRoberts = {
    ...changRoberts,
    calls: {
      start(s, p) {
        // @ts-expect-error Chang and Roberts do not know n
        seen.push(p.n);
        // @ts-expect-error nor where they are
        seen.push(p.me);
        // @ts-expect-error nor who is next
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
      // @ts-expect-error nobody has a name
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

test('a message of another kind, a call of another problem, a timer that is none: refused by the compiler', () => {
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
