// Random invariants over the fields and messages of a random algorithm. Some hold.
import type { AnyAlgorithm, Message, World } from '../../src/core/algorithm.ts';
import { countInFlight, forEvery } from '../../src/core/world-queries.ts';
import type { Choices } from './choices.ts';

type State = Readonly<Record<string, unknown>>;
type Lemma = (world: World<State, Message>) => boolean;
type Condition = (s: State) => boolean;

const facts = { me: 0, id: 1, n: 2, neighbours: [0, 1], root: true, parent: null };

/** Returns the algorithm with some invariants. */
export function withRandomLemmas(c: Choices, algorithm: AnyAlgorithm): AnyAlgorithm {
  const fields = Object.keys(algorithm.init(facts as never));
  const types = Object.keys(algorithm.on);
  if (fields.length === 0 || types.length === 0) return algorithm;
  const lemmas = Array.from({ length: 4 }, (_, k) => [`lemma ${k}`, lemmaOf(c, fields, types)]);
  return { ...algorithm, invariants: Object.fromEntries(lemmas) };
}

function lemmaOf(c: Choices, fields: readonly string[], types: readonly string[]): Lemma {
  const [one, two] = [conditionOf(c, fields), conditionOf(c, fields)];
  const type = c.one(...types);
  const most = c.below(3);
  const place = c.one({}, { from: c.below(2) }, { to: c.below(2) });
  switch (c.below(6)) {
    case 0:
      return (world) => countInFlight(world, type, place) <= most;
    case 1:
      return ({ states }) => states.filter(one).length <= most;
    case 2:
      return ({ states }) => !states.some(one) || states.some(two);
    case 3:
      return forEvery(one, ({ states }, i) => states.every((s, j) => i === j || two(s)));
    case 4:
      return forEvery(one, (world, i) => countInFlight(world, type, { to: i }) <= most);
    default:
      return ({ states, inFlight }) => inFlight.length <= most + states.filter(one).length;
  }
}

function conditionOf(c: Choices, fields: readonly string[]): Condition {
  const field = c.one(...fields);
  const text = c.one('true', 'false', '0', '1', '2', 'null', '[]');
  const negates = c.chance(0.5);
  return (s) => (JSON.stringify(s[field]) === text) !== negates;
}
