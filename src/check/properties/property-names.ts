import type { Problem } from '../../core/algorithm.ts';
import { isCeaseless } from '../../machine/index.ts';
import { stableLeader } from '../../problems/election-monitor.ts';
import type { CheckConfig } from '../config.ts';

/** Says to people what is not checked, and why; null if all is. */
export function notChecked({ againstLemmas, againstBounds }: CheckConfig): string | null {
  const texts = [againstLemmas && `its lemmas: ${againstLemmas}`, againstBounds].filter(Boolean);
  return texts.length === 0 ? null : texts.join('; ');
}

/** Returns the names of the properties that a search checks. */
export function propertiesOf(
  config: CheckConfig,
  { lemmas, progress }: { readonly lemmas: boolean; readonly progress: boolean },
): string[] {
  const { algorithm } = config.setup;
  const problem = algorithm.problem as Exclude<Problem, 'clocks'>; // the configuration refuses those
  const once = ['at most one leader', 'everybody learns the leader', 'the right one wins'];
  const perpetual = [
    ...(algorithm.rounds ? ['at most one leader in each round'] : []),
    ...(progress ? [stableLeader] : []),
    ...(progress && (algorithm.elects ?? 'any') !== 'any' ? [`the ${algorithm.elects} wins`] : []),
  ];
  const safety = {
    mutex: ['at most one inside', 'only who asked enters'],
    election: algorithm.perpetual ? perpetual : once,
  }[problem];
  const afterCrashes =
    algorithm.crashNotice === undefined
      ? []
      : ['the leader took part in its round', 'a living process leads'];
  // Where runs never end, a process can also wait forever while others go on.
  const coversStarvation = progress || !isCeaseless(algorithm);
  const entry = { mutex: [coversStarvation ? 'every request enters' : 'no deadlock'], election: [] };
  const end = progress && !isCeaseless(algorithm) ? ['the run ends'] : [];
  const isCorrupted = progress && config.corrupted;
  const stable = isCorrupted ? ['once legitimate, always legitimate', 'the world becomes legitimate'] : [];
  const own = lemmas ? Object.keys(algorithm.invariants ?? {}) : [];
  return [
    ...safety,
    ...afterCrashes,
    ...entry[problem],
    ...end,
    ...stable,
    ...(algorithm.snapshots ? ['the cut is consistent', 'the snapshot is completed'] : []),
    ...(config.bypass.length > 0 ? ['the bypass bound'] : []),
    ...(config.bounds ? ['the message bound'] : []),
    ...(config.measures.chain === null ? [] : ['the chain bound']),
    ...(config.measures.sizes.length > 0 ? ['the size bound'] : []),
    ...own,
  ];
}
