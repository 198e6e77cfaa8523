import { type EitherAlgorithm, mediumOf } from '../machine/index.ts';
import {
  type CheckConfig,
  type CheckOptions,
  configOf,
  type ReductionLimits,
  type SearchOptions,
  type Space,
} from './config.ts';
import { SharedMemory } from './memory/shared-memory.ts';
import { MessagePassing } from './messages/message-passing.ts';
import type { Medium } from './model/medium.ts';
import { Model } from './model/model.ts';

/** A model, and what a search of it has to do. */
export interface BuiltModel {
  readonly config: CheckConfig;
  readonly model: Model;
  readonly search: SearchOptions;
}

/** Builds the model of an algorithm, with messages or shared memory. */
export function buildModel(
  algorithm: EitherAlgorithm,
  space: Space,
  options: CheckOptions,
  limits: ReductionLimits = {},
): BuiltModel {
  const { reduction = true } = options;
  const config = configOf(algorithm, space, options, limits);
  const medium = new { messages: MessagePassing, memory: SharedMemory }[mediumOf(algorithm)](config);
  const model = new Model(medium as Medium);
  const search = {
    lemmas:
      config.lemmaReads !== null || config.bounds || config.measures.sizes.some(({ isFixed }) => !isFixed),
    sleepSets: reduction && model.hasSleepSets && !config.earlyDelivery,
    logSteps: config.mayBeAcyclic,
  };
  return { config, model, search };
}
