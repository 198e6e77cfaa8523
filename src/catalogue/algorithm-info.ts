// Facts about an algorithm for hosts, the same for both contracts and for a user's own algorithm.
import type { AnyAlgorithm, Assumptions, ChannelKind, Knowledge } from '../core/algorithm.ts';
import { defaultShape } from '../core/network-shapes.ts';
import { beginsByItself } from '../core/perpetual-election.ts';
import type { Register } from '../core/shared-algorithm.ts';
import {
  countedIn,
  type DeclaredAlgorithm,
  declared,
  type EitherAlgorithm,
  isMeaningful,
  registersFor,
} from '../machine/index.ts';
import type { Mutant } from '../mutants/index.ts';

type OptionalField =
  | 'timers'
  | 'crashNotice'
  | 'perpetual'
  | 'snapshots'
  | 'synchronises'
  | 'bypass'
  | 'finds'
  | 'token';
type OptionalFields = { readonly [K in OptionalField]?: AnyAlgorithm[K] | undefined };

export interface AlgorithmInfo extends OptionalFields {
  readonly counts: 'messages' | 'accesses'; // the unit in which a run is counted
  readonly hasLines: boolean; // processes run the lines of a program
  readonly hasLinks: boolean; // processes send messages over links
  readonly mayAskForever: boolean; // the checker can let processes request without end
  readonly kinds: readonly string[]; // of messages or accesses, in the order of the algorithm's text
  readonly sizes: { readonly min: number; readonly max?: number }; // supported numbers of processes
  readonly knows: Knowledge;
  readonly hasRoot: boolean; // one process is special
  readonly starts: 'all' | 'none'; // who starts or asks, unless the scenario says
  /** As `baton list` prints them. Shared memory has no channels. */
  readonly assumes: {
    readonly topology: Assumptions['topology'];
    readonly channels: ChannelKind | null;
    readonly failures: Assumptions['failures'];
    readonly timing: Assumptions['timing'];
  };
  readonly assumptions: readonly string[]; // the same as text, network or memory first
  readonly shapes: readonly string[]; // networks to choose from, default first; none on shared memory
  /** Returns the initial registers; none if processes send messages. */
  registers(n: number): Register[];
}

const networks: Readonly<Record<AlgorithmInfo['assumes']['topology'], string>> = {
  complete: 'everybody knows everybody',
  ring: 'one-way ring',
  'two-way ring': 'two-way ring',
  tree: 'tree',
  connected: 'any network',
  'shared memory': 'shared memory',
};

const failing: Readonly<Record<Assumptions['failures'], string>> = {
  none: 'no failures',
  crash: 'processes may crash',
  'token loss': 'the token may get lost',
  corruption: 'variables may take any values',
  'link changes': 'links may come and go',
  lies: 'some clocks may be misread',
};

const orders = { unordered: '', fifo: 'FIFO channels', causal: 'causal channels' } as const;

const delays = {
  asynchronous: '',
  bounded: 'messages have a longest delay',
  synchronous: 'messages have a longest delay, clocks run alike',
  archimedean: 'clocks and delays are bounded',
} as const;

const problems = { mutex: 'Mutual exclusion', election: 'Election', clocks: 'Clocks' } as const;

const otherShapes: Readonly<Record<string, readonly string[]>> = {
  tree: ['line', 'star'],
  connected: ['grid', 'tree', 'ring', 'wheel', 'star', 'line', 'complete'],
};

export const isMutant = <E extends EitherAlgorithm>(
  algorithm: E,
): algorithm is E & { of: string; lie: string } => 'of' in algorithm;

/** Returns the scenario in which a mutant fails: null if no run fails, undefined if the mutant does not say. */
export const failingRunOf = (algorithm: EitherAlgorithm): Mutant['failingRun'] =>
  (algorithm as Partial<Mutant>).failingRun;

export function algorithmInfo(given: EitherAlgorithm | DeclaredAlgorithm): AlgorithmInfo {
  const algorithm = declared(given);
  const {
    knows,
    on = {},
    timers = [],
    crashNotice,
    perpetual,
    snapshots,
    synchronises,
    bypass,
    finds,
    token,
  } = algorithm;
  const { topology, channels, failures, timing, quorum } = algorithm.assumes;
  const hasLinks = isMeaningful(algorithm, 'topology');
  const { min = 1, max } = algorithm.processes ?? {};
  const size = max === undefined ? '' : min === max ? `${min} processes` : `${min} to ${max} processes`;
  const names = knows.includes('id') ? 'distinct ids' : knows.includes('me') ? '' : 'anonymous processes';
  const isComposite = 'accesses' in algorithm.assumes && algorithm.assumes.accesses === 'composite';
  const access = isComposite ? 'a step reads and writes at once' : 'atomic reads and writes';
  const assumptions = [
    networks[topology],
    hasLinks ? '' : access,
    size,
    orders[channels],
    failing[failures],
    quorum === undefined ? '' : 'most processes are alive',
    delays[timing],
    names,
  ];
  const messages = Object.keys(on).filter((kind) => !timers.includes(kind));
  return {
    counts: countedIn(algorithm).many,
    ...{ hasLinks, hasLines: !hasLinks, mayAskForever: !hasLinks },
    kinds: hasLinks ? messages : ['read', 'write'],
    sizes: { min, ...(max !== undefined && { max }) },
    knows,
    starts: beginsByItself(algorithm) ? 'none' : 'all',
    hasRoot: knows.includes('root') || knows.includes('parent'),
    assumes: { topology, channels: hasLinks ? channels : null, failures, timing },
    assumptions: assumptions.filter((text) => text !== ''),
    shapes: hasLinks ? [defaultShape(topology), ...(otherShapes[topology] ?? [])] : [],
    registers: (n) => registersFor(algorithm, n),
    ...{ timers, crashNotice, perpetual, snapshots, synchronises, bypass, finds, token },
  };
}

/** Returns the heading under which lists show an algorithm. */
export const familyOf = (algorithm: EitherAlgorithm): string =>
  isMutant(algorithm)
    ? 'Wrong on purpose'
    : `${problems[algorithm.problem]}, ${networks[algorithmInfo(algorithm).assumes.topology]}`;
