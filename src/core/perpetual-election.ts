import type { AnyAlgorithm, Problem } from './algorithm.ts';

/** Whether an election needs no start: it is perpetual and has `begin`. */
export const beginsByItself = ({
  problem,
  perpetual,
  begin,
}: {
  readonly problem: Problem;
  readonly perpetual?: true | undefined;
  readonly begin?: AnyAlgorithm['begin'] | undefined;
}): boolean => problem === 'election' && perpetual === true && begin !== undefined;
