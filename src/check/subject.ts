import type { AnyAlgorithm, Problem } from '../core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import type { Task } from './hand.ts';
import { SharedMemory } from './memory.ts';
import { Model } from './model.ts';
import { Network } from './network.ts';
import {
  type CheckOptions,
  type Question,
  questionOf,
  type SharedQuestion,
  type Space,
  sharedQuestionOf,
} from './question.ts';

/** What is looked at, and what is asked of it. */
export interface Subject {
  readonly question: Question | SharedQuestion;
  readonly model: Model;
  readonly task: Task;
}

/** `mayHurry`: see `questionOf`. */
export function subjectOf(
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  space: Space,
  options: CheckOptions,
  mayHurry = false,
): Subject {
  const { reduction = true, lemmas = false } = options;
  if (isShared(algorithm)) {
    const question = sharedQuestionOf(algorithm, space, options);
    return { question, model: new Model(new SharedMemory(question)), task: { lemmas, sleeps: false } };
  }
  const question = questionOf(algorithm, space, options, mayHurry);
  const model = new Model(new Network(question));
  const task = { lemmas: lemmas || question.bounds, sleeps: reduction && model.commutes && !question.early };
  return { question, model, task };
}

/** The properties that are checked, by name. */
export function propertiesOf(
  question: Question | SharedQuestion,
  { lemmas, progress }: { readonly lemmas: boolean; readonly progress: boolean },
): string[] {
  const { algorithm } = question.setup;
  const problem = algorithm.problem as Exclude<Problem, 'clocks'>; // those are refused
  const safety = {
    mutex: ['at most one inside', 'only who asked enters'],
    election: ['at most one leader', 'everybody learns the leader', 'the right one wins'],
  }[problem];
  // Where runs never end, one can also wait for ever while others go on.
  const isFull = progress || !(isShared(algorithm) || algorithm.perpetual);
  const entry = { mutex: [isFull ? 'every request enters' : 'no deadlock'], election: [] };
  const isScrambled = progress && 'scrambled' in question && question.scrambled;
  const stable = isScrambled ? ['once legitimate, always legitimate', 'the world becomes legitimate'] : [];
  const own = lemmas ? Object.keys(algorithm.invariants ?? {}) : [];
  const isCounted = 'bounds' in question && question.bounds;
  const isBounded = 'bypass' in question && question.bypass.length > 0;
  return [
    ...safety,
    ...entry[problem],
    ...stable,
    ...(isShared(algorithm) || !algorithm.snapshots
      ? []
      : ['the cut is consistent', 'the snapshot is completed']),
    ...(isBounded ? ['the bypass bound'] : []),
    ...(isCounted ? ['the message bound'] : []),
    ...own,
  ];
}
