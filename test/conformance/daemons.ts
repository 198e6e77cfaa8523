// Dijkstra's model as such: the states of machines, and a daemon that chooses among their privileges. It knows no processes that ask.
import type { MachineRules } from '../../src/algorithms/shared/dijkstra.ts';

type States = readonly number[];

/** Returns the moves of each machine, one for each privilege. */
const movesIn = ({ reads, moves }: MachineRules, S: States): (readonly number[])[] =>
  S.map((_, i) => moves(i, S.length)(...reads(i, S.length).map((j) => S[j]!)));

const everyState = ({ states }: MachineRules, n: number): States[] =>
  Array.from({ length: n }).reduce<States[]>(
    (all, _, i) => all.flatMap((S) => states(i, n).map((state) => [...S, state])),
    [[]],
  );

/** Returns the states after one move, or after any set of moves of different machines if the daemon is distributed. */
function following(rules: MachineRules, S: States, daemon: 'central' | 'distributed'): States[] {
  const all = movesIn(rules, S);
  if (daemon === 'central') return all.flatMap((moves, i) => moves.map((state) => S.with(i, state)));
  const sets = all.reduce<States[]>(
    (some, moves, i) => some.flatMap((T) => [T, ...moves.map((state) => T.with(i, state))]),
    [S],
  );
  return sets.slice(1); // without the empty set
}

const isLegitimate = (rules: MachineRules, S: States): boolean => movesIn(rules, S).flat().length === 1;

/** Returns the most steps that the daemon can take before there is one privilege; Infinity if it can go on for ever, or there is none. */
export function mostSteps(rules: MachineRules, n: number, daemon: 'central' | 'distributed'): number {
  const most = new Map<string, number>();
  const longest = (S: States): number => {
    if (isLegitimate(rules, S)) return 0;
    const key = S.join();
    if (!most.has(key)) {
      most.set(key, Infinity); // until known: a run that returns here never ends
      const next = following(rules, S, daemon);
      most.set(key, next.length === 0 ? Infinity : 1 + Math.max(...next.map(longest)));
    }
    return most.get(key)!;
  };
  return Math.max(...everyState(rules, n).map(longest));
}

/** Returns whether one privilege stays one, from every state in which there is one. */
export const isClosed = (rules: MachineRules, n: number): boolean =>
  everyState(rules, n)
    .filter((S) => isLegitimate(rules, S))
    .every((S) => following(rules, S, 'central').every((T) => isLegitimate(rules, T)));

/** Returns whether a move can leave more privileges than there were. */
export const mayRise = (rules: MachineRules, n: number): boolean =>
  everyState(rules, n).some((S) => {
    const count = movesIn(rules, S).flat().length;
    return following(rules, S, 'central').some((T) => movesIn(rules, T).flat().length > count);
  });

/** Returns the most moves, in the run from the first state, before a machine has the privilege again. */
export function longestTurn(rules: MachineRules, n: number): number {
  let S: States = Array.from({ length: n }, (_, i) => rules.states(i, n)[0]!);
  const last = Array<number>(n).fill(0);
  let longest = 0;
  for (let step = 1; step <= 20 * n; step += 1) {
    const holder = movesIn(rules, S).findIndex((moves) => moves.length > 0);
    longest = Math.max(longest, step - last[holder]!);
    last[holder] = step;
    S = following(rules, S, 'central')[0]!;
  }
  return longest;
}
