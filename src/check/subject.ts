import type { Problem } from '../core/algorithm.ts';
import { type EitherAlgorithm, isCeaseless, mediumOf } from '../machine/index.ts';
import type { Task } from './hand.ts';
import type { Medium } from './medium.ts';
import { SharedMemory } from './memory.ts';
import { Model } from './model.ts';
import { Network } from './network.ts';
import { type CheckOptions, type Question, questionOf, type Space } from './question.ts';

/** What is looked at, and what is asked of it. */
export interface Subject {
  readonly question: Question;
  readonly model: Model;
  readonly task: Task;
}

/** `mayHurry`: see `questionOf`. */
export function subjectOf(
  algorithm: EitherAlgorithm,
  space: Space,
  options: CheckOptions,
  mayHurry = false,
): Subject {
  const { reduction = true, lemmas = false } = options;
  const question = questionOf(algorithm, space, options, mayHurry);
  const medium = new { messages: Network, memory: SharedMemory }[mediumOf(algorithm)](question);
  const model = new Model(medium as Medium);
  const task = { lemmas: lemmas || question.bounds, sleeps: reduction && model.commutes && !question.early };
  return { question, model, task };
}

/** The properties that are checked, by name. */
export function propertiesOf(
  question: Question,
  { lemmas, progress }: { readonly lemmas: boolean; readonly progress: boolean },
): string[] {
  const { algorithm } = question.setup;
  const problem = algorithm.problem as Exclude<Problem, 'clocks'>; // those are refused
  const safety = {
    mutex: ['at most one inside', 'only who asked enters'],
    election: ['at most one leader', 'everybody learns the leader', 'the right one wins'],
  }[problem];
  // Where runs never end, one can also wait for ever while others go on.
  const isFull = progress || !isCeaseless(algorithm);
  const entry = { mutex: [isFull ? 'every request enters' : 'no deadlock'], election: [] };
  const isScrambled = progress && question.scrambled;
  const stable = isScrambled ? ['once legitimate, always legitimate', 'the world becomes legitimate'] : [];
  const own = lemmas ? Object.keys(algorithm.invariants ?? {}) : [];
  return [
    ...safety,
    ...entry[problem],
    ...stable,
    ...(algorithm.snapshots ? ['the cut is consistent', 'the snapshot is completed'] : []),
    ...(question.bypass.length > 0 ? ['the bypass bound'] : []),
    ...(question.bounds ? ['the message bound'] : []),
    ...own,
  ];
}
