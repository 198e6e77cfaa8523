import type { Problem } from '../core/algorithm.ts';
import { type EitherAlgorithm, isCeaseless, mediumOf } from '../machine/index.ts';
import { type CheckConfig, type CheckOptions, configOf, type Space } from './config.ts';
import { SharedMemory } from './memory/shared-memory.ts';
import { MessagePassing } from './messages/message-passing.ts';
import type { Medium } from './model/medium.ts';
import { Model } from './model/model.ts';
import type { SearchOptions } from './parallel/batch-worker.ts';

/** What is looked at, and what is asked of it. */
export interface BuiltModel {
  readonly config: CheckConfig;
  readonly model: Model;
  readonly search: SearchOptions;
}

/** `mayHurry`: see `questionOf`. */
export function buildModel(
  algorithm: EitherAlgorithm,
  space: Space,
  options: CheckOptions,
  mayHurry = false,
): BuiltModel {
  const { reduction = true, lemmas = false } = options;
  const config = configOf(algorithm, space, options, mayHurry);
  const medium = new { messages: MessagePassing, memory: SharedMemory }[mediumOf(algorithm)](config);
  const model = new Model(medium as Medium);
  const task = {
    lemmas: lemmas || config.bounds,
    sleepSets: reduction && model.hasSleepSets && !config.earlyDelivery,
  };
  return { config, model, search: task };
}

/** The properties that are checked, by name. */
export function propertiesOf(
  config: CheckConfig,
  { lemmas, progress }: { readonly lemmas: boolean; readonly progress: boolean },
): string[] {
  const { algorithm } = config.setup;
  const problem = algorithm.problem as Exclude<Problem, 'clocks'>; // those are refused
  const safety = {
    mutex: ['at most one inside', 'only who asked enters'],
    election: ['at most one leader', 'everybody learns the leader', 'the right one wins'],
  }[problem];
  // Where runs never end, one can also wait for ever while others go on.
  const isFull = progress || !isCeaseless(algorithm);
  const entry = { mutex: [isFull ? 'every request enters' : 'no deadlock'], election: [] };
  const isScrambled = progress && config.corrupted;
  const stable = isScrambled ? ['once legitimate, always legitimate', 'the world becomes legitimate'] : [];
  const own = lemmas ? Object.keys(algorithm.invariants ?? {}) : [];
  return [
    ...safety,
    ...entry[problem],
    ...stable,
    ...(algorithm.snapshots ? ['the cut is consistent', 'the snapshot is completed'] : []),
    ...(config.bypass.length > 0 ? ['the bypass bound'] : []),
    ...(config.bounds ? ['the message bound'] : []),
    ...own,
  ];
}
