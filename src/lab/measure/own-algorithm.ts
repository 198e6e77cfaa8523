import { algorithmInfo, type EitherAlgorithm, messagePassing, titleOf } from '../../catalogue/index.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import type { CustomAlgorithm } from '../state/run-spec.ts';

/** The algorithm from the editor, under a name that no algorithm of the catalogue has. */
export interface OwnAlgorithm {
  readonly algorithm: AnyAlgorithm; // a stub: it runs in a worker only
  readonly title: string;
  readonly code: OwnCode;
}

/** What a worker needs to measure it. */
export interface OwnCode {
  readonly name: string; // in the figures
  readonly originalName: string; // in the code
  readonly code: string;
}

/** Whether the view can plot an algorithm: a lock or an election that sends messages. */
export const isPlottable = (algorithm: EitherAlgorithm): boolean =>
  algorithmInfo(algorithm).hasLinks && algorithm.problem !== 'clocks';

/** Returns null if there is no algorithm from the editor, or if it cannot be plotted. */
export function ownAlgorithmOf(custom: CustomAlgorithm | null): OwnAlgorithm | null {
  if (custom === null || !isPlottable(custom.algorithm)) return null;
  const { name: originalName } = custom.algorithm;
  const name = `${originalName} (yours)`;
  return {
    algorithm: { ...messagePassing(custom.algorithm), name },
    title: `${titleOf(custom.algorithm)} (yours)`,
    code: { name, originalName, code: custom.code },
  };
}
