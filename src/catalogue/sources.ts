import type { EitherAlgorithm } from '../machine/index.ts';
import { about, isMutant } from './about.ts';
import { resolve } from './index.ts';

type Exists = (path: string) => boolean;

/**
 * Returns the files an algorithm is written in, as paths in src. The first is its own. Those it builds on follow: the parts of a
 * composition, the algorithm that a mutant distorts.
 */
export function sourcesOf(algorithm: EitherAlgorithm, exists: Exists): string[] {
  const { name, problem } = algorithm;
  const { counts, snapshots } = about(algorithm);
  if (isMutant(algorithm)) {
    const composer = snapshots ? 'snapshotting' : 'recovering';
    const files = name.includes('+') ? [`mutants/${composer}.ts`] : variants('mutants', algorithm.of, exists);
    return [...files.slice(0, 1), ...sourcesOf(resolve(algorithm.of), exists)];
  }
  if (snapshots)
    return ['snapshot/chandy-lamport.ts', ...sourcesOf(snapshots.of, exists), 'snapshot/snapshotting.ts'];
  if (name.includes('+')) {
    const parts = name.split('+').flatMap((part) => sourcesOf(resolve(part), exists));
    return [`recovery/${problem === 'clocks' ? 'succession' : 'recovering'}.ts`, ...parts];
  }
  return variants(`algorithms/${counts === 'accesses' ? 'shared' : problem}`, name, exists);
}

/** A variant stands in the file of the algorithm it varies, or builds on it: a-b-c in a-b-c.ts, a-b.ts, a.ts. */
function variants(folder: string, name: string, exists: Exists): string[] {
  const words = name.split('-');
  const paths = words.map((_, k) => `${folder}/${words.slice(0, words.length - k).join('-')}.ts`);
  return paths.filter(exists);
}
