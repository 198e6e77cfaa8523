import type { Message, Pid, World } from '../../core/algorithm.ts';
import type { ConditionalInvariant } from '../../core/world-queries.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { LemmaReads } from './lemma-reads.ts';
import type { ReadObserver } from './observed-world.ts';
import { ReadLog } from './read-log.ts';

/** The invariants of an algorithm, by name. */
export type Lemmas = Readonly<Record<string, Lemma>>;

type Lemma = ((world: never) => boolean) &
  Partial<Pick<ConditionalInvariant<never, Message>, 'satisfies' | 'holds'>>;

/** A world, as lemmas see it. */
export interface LemmaWorld {
  readonly states: readonly unknown[];
  readonly inFlight: World<unknown, Message>['inFlight'];
  /** Returns it so that an observer is told of what is read. */
  observedBy(observer: ReadObserver): unknown;
}

/** Returns the conditions of those lemmas that have one. They are not among what lemmas read. */
export const conditionsOf = (lemmas: Lemmas): ((s: never) => boolean)[] =>
  Object.values(lemmas).flatMap(({ satisfies }) => satisfies ?? []);

/**
 * Returns the first lemma that fails in a world, and adds what the lemmas read to `reads`.
 * @throws {InputError} if a lemma reads a field that no state has.
 */
export function brokenLemma(lemmas: Lemmas, world: LemmaWorld, reads: LemmaReads): Violation | null {
  const observed = world.observedBy(reads);
  for (const lemma in lemmas) {
    const failure = failureOf(lemmas[lemma]!, world, observed);
    reads.missing.refuse(`the lemma '${lemma}'`);
    if (failure !== null) return { property: lemma, why: `${failure}: ${readBy(lemmas[lemma]!, world)}` };
  }
  return null;
}

/** Returns how a lemma fails; null if it holds. */
function failureOf(lemma: Lemma, { states }: LemmaWorld, observed: unknown): string | null {
  const { satisfies, holds } = lemma;
  const breaks = (s: unknown, i: Pid) => satisfies!(s as never) && !holds!(observed as never, i);
  try {
    if (satisfies === undefined) return lemma(observed as never) ? null : 'it fails';
    const process = states.findIndex(breaks);
    return process < 0 ? null : `it fails for process ${process}`;
  } catch (error) {
    return `it throws ${error}`;
  }
}

function readBy(lemma: Lemma, world: LemmaWorld): string {
  const log = new ReadLog(world.inFlight);
  failureOf(lemma, world, world.observedBy(log));
  return log.toString();
}
