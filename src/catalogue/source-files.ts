import { roundsSuffix } from '../compositions/repeated-election.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { algorithmInfo, isMutant } from './algorithm-info.ts';
import { resolve } from './index.ts';

type Exists = (path: string) => boolean;

/**
 * Returns the source files of an algorithm, as paths in src. Its own file comes first. The files it builds on follow: the parts of a
 * composition, or the original of a mutant.
 */
export function sourceFilesOf(algorithm: EitherAlgorithm, exists: Exists): string[] {
  const { name, problem } = algorithm;
  const { counts, snapshots } = algorithmInfo(algorithm);
  if (isMutant(algorithm)) {
    const composer = snapshots
      ? 'with-snapshots'
      : problem === 'election'
        ? 'repeated-election'
        : 'lock-recovery';
    const files = name.includes('+') ? [`mutants/${composer}.ts`] : variants('mutants', algorithm.of, exists);
    return [...files.slice(0, 1), ...sourceFilesOf(resolve(algorithm.of), exists)];
  }
  if (snapshots)
    return [
      'compositions/chandy-lamport.ts',
      ...sourceFilesOf(snapshots.of, exists),
      'compositions/with-snapshots.ts',
    ];
  if (name.endsWith(roundsSuffix))
    return [
      'compositions/repeated-election.ts',
      ...sourceFilesOf(resolve(name.slice(0, -roundsSuffix.length)), exists),
    ];
  if (name.includes('+')) {
    const parts = name.split('+').flatMap((part) => sourceFilesOf(resolve(part), exists));
    return [`compositions/${problem === 'clocks' ? 'clock-master-recovery' : 'lock-recovery'}.ts`, ...parts];
  }
  return variants(`algorithms/${counts === 'accesses' ? 'shared' : problem}`, name, exists);
}

/** The existing files for a variant and the algorithms it may vary: for a-b-c they are a-b-c.ts, a-b.ts, a.ts. */
function variants(folder: string, name: string, exists: Exists): string[] {
  const words = name.split('-');
  const paths = words.map((_, k) => `${folder}/${words.slice(0, words.length - k).join('-')}.ts`);
  return paths.filter(exists);
}
