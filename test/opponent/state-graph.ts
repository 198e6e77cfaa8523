// All reachable states of a model as an explicit graph, keyed by their JSON text.

/** Either the state that a step leads to, or the safety property that the step breaks. */
export type Outcome<W> = { readonly world: W } | { readonly broken: string };

/** A step. Its outcomes are those of the coins tossed in it. */
export interface Step<W> {
  /** The name of the action for weak fairness; null if the step is optional: a request, a start, a fault. */
  readonly fair: string | null;
  readonly outcomes: readonly Outcome<W>[];
}

export interface WorldModel<W> {
  initial(): Outcome<W>[];
  steps(world: W): Step<W>[];
  /** Says what is wrong with a state in which only optional steps are left; null if nothing is. */
  brokenAtRest(world: W): string | null;
  /** The goals that are due: as long as one is, a process waits, or must learn the leader. */
  due(world: W): string[];
  /** Whether somebody is inside, or leads. */
  isReached(world: W): boolean;
  /** The names of invariants of the algorithm that do not hold. */
  falseLemmas(world: W): string[];
}

export interface Edge {
  readonly fair: string | null;
  readonly to: readonly number[]; // one state per outcome
}

export interface StateGraph {
  readonly edges: readonly (readonly Edge[])[];
  readonly due: readonly (readonly string[])[];
  readonly isReached: boolean; // somebody is inside, or leads, in some state
  readonly falseLemmas: ReadonlySet<string>; // in some state
}

export type Exploration = { readonly graph: StateGraph } | { readonly broken: string } | 'too large';

/** Explores breadth first and stops at the first violation. Gives up when there are more than `limit` states. */
export function explore<W>(model: WorldModel<W>, limit: number): Exploration {
  const numbers = new Map<string, number>();
  const worlds: W[] = [];
  const edges: Edge[][] = [];
  let broken: string | null = null;
  const numberOf = (outcome: Outcome<W>): number => {
    if ('broken' in outcome) {
      broken ??= outcome.broken;
      return -1;
    }
    const key = JSON.stringify(outcome.world);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, worlds.length);
    return worlds.push(outcome.world) - 1;
  };
  for (const outcome of model.initial()) numberOf(outcome);
  for (let at = 0; at < worlds.length && broken === null; at += 1) {
    if (worlds.length > limit) return 'too large';
    const steps = model.steps(worlds[at]!);
    if (steps.every(({ fair }) => fair === null)) broken = model.brokenAtRest(worlds[at]!);
    edges[at] = steps.map(({ fair, outcomes }) => ({ fair, to: [...new Set(outcomes.map(numberOf))] }));
  }
  if (broken !== null) return { broken };
  const due = worlds.map((world) => model.due(world));
  const isReached = worlds.some((world) => model.isReached(world));
  const falseLemmas = new Set(worlds.flatMap((world) => model.falseLemmas(world)));
  return { graph: { edges, due, isReached, falseLemmas } };
}
