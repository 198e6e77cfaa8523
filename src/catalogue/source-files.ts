import type { EitherAlgorithm } from '../machine/index.ts';
import { algorithmInfo, isMutant } from './algorithm-info.ts';
import { resolve } from './index.ts';

type Exists = (path: string) => boolean;

/**
 * Returns the files an algorithm is written in, as paths in src. The first is its own. Those it builds on follow: the parts of a
 * composition, the algorithm that a mutant distorts.
 */
export function sourceFilesOf(algorithm: EitherAlgorithm, exists: Exists): string[] {
  const { name, problem } = algorithm;
  const { counts, snapshots } = algorithmInfo(algorithm);
  if (isMutant(algorithm)) {
    const composer = snapshots ? 'with-snapshots' : 'lock-recovery';
    const files = name.includes('+') ? [`mutants/${composer}.ts`] : variants('mutants', algorithm.of, exists);
    return [...files.slice(0, 1), ...sourceFilesOf(resolve(algorithm.of), exists)];
  }
  if (snapshots)
    return [
      'compositions/chandy-lamport.ts',
      ...sourceFilesOf(snapshots.of, exists),
      'compositions/with-snapshots.ts',
    ];
  if (name.includes('+')) {
    const parts = name.split('+').flatMap((part) => sourceFilesOf(resolve(part), exists));
    return [`compositions/${problem === 'clocks' ? 'clock-master-recovery' : 'lock-recovery'}.ts`, ...parts];
  }
  return variants(`algorithms/${counts === 'accesses' ? 'shared' : problem}`, name, exists);
}

/** A variant stands in the file of the algorithm it varies, or builds on it: a-b-c in a-b-c.ts, a-b.ts, a.ts. */
function variants(folder: string, name: string, exists: Exists): string[] {
  const words = name.split('-');
  const paths = words.map((_, k) => `${folder}/${words.slice(0, words.length - k).join('-')}.ts`);
  return paths.filter(exists);
}
