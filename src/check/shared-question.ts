import { InputError } from '../core/assert.ts';
import type { AnySharedAlgorithm } from '../core/shared.ts';
import { whole } from '../sim/scenario.ts';
import { prepareShared } from '../sim/shared-scenario.ts';
import type { CheckOptions, Space } from './check.ts';
import type { SharedQuestion } from './question.ts';

const meaningless = ['losses', 'repeats', 'capacity', 'corrupted'] as const;

/** `usualSize`: how many processes, if nobody says and the algorithm is for so many. */
export function sharedQuestionOf(
  algorithm: AnySharedAlgorithm,
  space: Space,
  options: CheckOptions,
  usualSize: number,
): SharedQuestion {
  const { name, processes: { min = 1, max = Infinity } = {} } = algorithm;
  const wrong = meaningless.find((option) => (options[option] ?? false) !== false);
  if (wrong !== undefined)
    throw new InputError(`the processes of ${name} share memory: ${wrong} means nothing to them`);
  if (options.bypass) throw new InputError(`${name} promises no bypass bound that could be checked`);
  const n = space.n ?? Math.min(Math.max(usualSize, min), max);
  const { entries = 1, ...rest } = space;
  const finite = entries === Infinity ? {} : { entries };
  return {
    setup: { ...prepareShared(algorithm, { ...rest, ...finite, n }), entries },
    together: options.together ?? false,
    crashes: whole(options.crashes ?? 0, 'crashes', 0),
  };
}
