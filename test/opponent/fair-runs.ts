// Infinite runs. The scheduler is an adversary, but weakly fair: an action that stays enabled is performed in the end. Coins are random, so a
// run stays somewhere with positive probability only if that is an end component: a set of states that some of its steps never leave,
// whatever the coins show. Without coins, an end component is a set of states that reach each other.
import type { Edge, StateGraph } from './state-graph.ts';

/** How coins fall. `adversarial`: the scheduler also chooses the outcomes. */
export type Coins = 'random' | 'adversarial';

type Edges = readonly (readonly Edge[])[];

const withCoins = ({ edges }: StateGraph, coins: Coins): Edges =>
  coins === 'random'
    ? edges
    : edges.map((list) => list.flatMap(({ fair, to }) => to.map((one) => ({ fair, to: [one] }))));

/** Says whether a fair infinite run exists all of whose states are in the set, with positive probability. */
export function hasFairRun(graph: StateGraph, isIn: (state: number) => boolean, coins: Coins): boolean {
  const edges = withCoins(graph, coins);
  const states = edges.flatMap((_, state) => (isIn(state) ? [state] : []));
  return endComponents(edges, states).some((component) => isFair(edges, component));
}

/** Says whether a fair infinite run exists that comes by states of the set again and again, with positive probability. */
export function hasFairRunThrough(
  graph: StateGraph,
  isIn: (state: number) => boolean,
  coins: Coins,
): boolean {
  const edges = withCoins(graph, coins);
  const all = edges.map((_, state) => state);
  return endComponents(edges, all).some((component) => component.some(isIn) && isFair(edges, component));
}

/**
 * In a fair component every action is performed, or disabled somewhere. It is enough to look at the largest components: a component
 * that contains a fair one is fair too.
 */
function isFair(edges: Edges, component: readonly number[]): boolean {
  const members = new Set(component);
  const performed = new Set<string>();
  const enabledEverywhere = new Set(fairActions(edges[component[0]!]!));
  for (const state of component) {
    const enabled = new Set(fairActions(edges[state]!));
    for (const action of enabledEverywhere) if (!enabled.has(action)) enabledEverywhere.delete(action);
    for (const { fair, to } of edges[state]!)
      if (fair !== null && to.every((one) => members.has(one))) performed.add(fair);
  }
  return [...enabledEverywhere].every((action) => performed.has(action));
}

const fairActions = (edges: readonly Edge[]): string[] =>
  edges.flatMap(({ fair }) => (fair === null ? [] : [fair]));

/** The maximal end components within a set of states that have a step. */
function endComponents(edges: Edges, states: readonly number[]): number[][] {
  const found: number[][] = [];
  const candidates = [[...states]];
  while (candidates.length > 0) {
    const candidate = candidates.pop()!;
    const members = new Set(candidate);
    const inner = new Map(
      candidate.map((state) => [
        state,
        edges[state]!.filter(({ to }) => to.every((one) => members.has(one))).flatMap(({ to }) => to),
      ]),
    );
    const parts = strongComponents(inner);
    if (parts.length > 1) candidates.push(...parts);
    else if (candidate.some((state) => inner.get(state)!.length > 0)) found.push(candidate);
  }
  return found;
}

/** Kosaraju's algorithm, without recursion: the order of leaving forwards, then components backwards. */
function strongComponents(next: ReadonlyMap<number, readonly number[]>): number[][] {
  const previous = new Map<number, number[]>([...next.keys()].map((state) => [state, []]));
  for (const [state, list] of next) for (const one of list) previous.get(one)!.push(state);
  const order: number[] = [];
  visitAll(
    [...next.keys()],
    next,
    (state) => order.push(state),
    () => {},
  );
  const components: number[][] = [];
  visitAll(
    order.reverse(),
    previous,
    (state) => components.at(-1)!.push(state),
    () => components.push([]),
  );
  return components;
}

function visitAll(
  from: readonly number[],
  next: ReadonlyMap<number, readonly number[]>,
  leave: (state: number) => void,
  start: () => void,
): void {
  const seen = new Set<number>();
  for (const first of from) {
    if (seen.has(first)) continue;
    seen.add(first);
    start();
    const path = [{ state: first, k: 0 }];
    while (path.length > 0) {
      const top = path.at(-1)!;
      const one = next.get(top.state)![top.k];
      top.k += 1;
      if (one === undefined) leave(path.pop()!.state);
      else if (!seen.has(one)) {
        seen.add(one);
        path.push({ state: one, k: 0 });
      }
    }
  }
}
