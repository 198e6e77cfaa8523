import { algorithmInfo, type EitherAlgorithm, failingRunOf } from '../../catalogue/index.ts';

const sizes: Record<string, number> = {
  'shared memory': 3,
  ring: 6,
  'two-way ring': 6,
  tree: 7,
  connected: 8,
};

/** Fields for clocks that are visibly apart and drift, with enough time to see them corrected. */
const clockFields = (n: number, begins: string): Record<string, string> => ({
  offsets: [0, 180, -140, 90, -60, 220, -190].slice(0, n).join(','),
  drifts: [0, 20_000, -18_000, 12_000, -9000, 15_000, -20_000].slice(0, n).join(','),
  drift: '20000',
  slew: '500000',
  rounds: begins === 'all' ? '3' : '4',
  think: 'fixed:150',
  ...(begins === 'all' && { crash: '0@200' }),
});

/** Returns the fields of the run that opens when the user chooses an algorithm. A mutant opens on a run that fails, if there is one. */
export function firstScenario(algorithm: EitherAlgorithm): Readonly<Record<string, string>> {
  const failingRun = failingRunOf(algorithm);
  if (failingRun) return failingRun;
  const { assumes, sizes: possible, synchronises, snapshots, starts } = algorithmInfo(algorithm);
  const isSmall = synchronises !== undefined && assumes.topology !== 'tree';
  const defaultSize = (isSmall ? undefined : sizes[assumes.topology]) ?? 4;
  const n = Math.min(Math.max(defaultSize, possible.min), possible.max ?? Infinity);
  return {
    n: `${n}`,
    ...(algorithm.problem === 'mutex' && { entries: '2' }),
    ...(synchronises && clockFields(n, synchronises.begins)),
    ...(snapshots && { snapshot: '0@20' }),
    ...(starts === 'none' && { start: '0', crash: '0@200' }), // the first leader crashes, and another follows
    seed: '1',
  };
}
