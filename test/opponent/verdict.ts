// The verdict of the opponent: what holds in all runs of an algorithm, by brute force.
import type { AnyAlgorithm, ChannelKind } from '../../src/core/algorithm.ts';
import { buildTopology, defaultShape } from '../../src/core/network-shapes.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { type Coins, hasFairRun, hasFairRunThrough } from './fair-runs.ts';
import type { Figures } from './figures.ts';
import { MemoryModel } from './memory-worlds.ts';
import { MessageModel } from './message-worlds.ts';
import { type Exploration, explore } from './state-graph.ts';

/** An algorithm and the runs of it to look at. The default of a fault is none. */
export interface Case {
  readonly algorithm: AnyAlgorithm | AnySharedAlgorithm;
  readonly n: number;
  readonly entries?: number;
  readonly channels?: ChannelKind;
  readonly ids?: readonly number[];
  readonly topology?: string;
  readonly together?: boolean;
  readonly crashes?: number;
  readonly losses?: number;
  readonly repeats?: number;
  readonly capacity?: number;
  readonly figures?: Figures; // to measure
}

export interface Verdict {
  readonly safety: string | null; // the property that is broken, also in a state at rest; null if none is
  readonly waits: boolean; // a process can wait forever in a fair run. On shared memory also: a release never ends.
  readonly learns: boolean; // a process can fail to learn the leader in a fair run. In a perpetual election: processes can disagree again and again.
  readonly endless: boolean; // a fair run never ends, though the algorithm is not perpetual
  readonly falseLemmas: ReadonlySet<string>; // invariants of the algorithm that are false in some state, where no property is broken
  readonly isVacuous: boolean; // nobody enters, or leads, in any run, although a process may ask
  readonly states: number;
}

/** Returns the verdict, or null if there are more states than the limit. */
export function verdictOf(given: Case, { limit = 3000, coins = 'random' as Coins } = {}): Verdict | null {
  const exploration = explorationOf(given, limit);
  if (exploration === 'too large') return null;
  const none = {
    waits: false,
    learns: false,
    endless: false,
    falseLemmas: new Set<string>(),
    isVacuous: false,
    states: 0,
  };
  if ('broken' in exploration) return { ...none, safety: exploration.broken };
  const { graph } = exploration;
  const goals = [...new Set(graph.due.flat())];
  const isElection = given.algorithm.problem === 'election';
  const mustStay = isElection && 'perpetual' in given.algorithm && given.algorithm.perpetual === true;
  const isMissed = goals.some((goal) => {
    const isDue = (state: number) => graph.due[state]!.includes(goal);
    return mustStay ? hasFairRunThrough(graph, isDue, coins) : hasFairRun(graph, isDue, coins);
  });
  const mustEnd = !('program' in given.algorithm) && given.algorithm.perpetual !== true;
  return {
    safety: null,
    waits: isMissed && !isElection,
    learns: isMissed && isElection,
    endless: mustEnd && hasFairRun(graph, () => true, coins),
    falseLemmas: graph.falseLemmas,
    isVacuous: !graph.isReached && given.entries !== 0,
    states: graph.edges.length,
  };
}

/** The verdict on everything at once. */
export function totalOf({
  safety,
  waits,
  learns,
  endless,
  isVacuous,
}: Verdict): 'violated' | 'vacuous' | 'holds' {
  if (safety !== null || waits || learns || endless) return 'violated';
  return isVacuous ? 'vacuous' : 'holds';
}

function explorationOf(given: Case, limit: number): Exploration {
  const { algorithm, n, entries = 1, together = false, crashes = 0, losses = 0, repeats = 0 } = given;
  if ('program' in algorithm)
    return explore(new MemoryModel({ algorithm, n, entries, together, crashes }), limit);
  const { assumes } = algorithm;
  const { channels = assumes.channels, capacity = Infinity } = given;
  const shape = given.topology ?? defaultShape(assumes.topology);
  const topology = buildTopology(shape, n, assumes.topology, 1);
  const ids = given.ids ?? Array.from({ length: n }, (_, i) => i + 1);
  const faults = { crashes, losses, repeats, capacity };
  const place = { algorithm, topology, ids, root: 0, ...(given.figures && { figures: given.figures }) };
  return explore(new MessageModel({ ...place, channels, entries, together, ...faults }), limit);
}
