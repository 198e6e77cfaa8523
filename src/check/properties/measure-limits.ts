import type { AnyAlgorithm, Bound, Circumstances, Measured } from '../../core/algorithm.ts';
import { boundsOnMeasure, chainTitle, measureBoundsIn } from '../../sim/measures/judged-bounds.ts';
import type { AppliedBound } from '../../sim/measures/measures.ts';
import { timedCircumstancesOf } from '../../sim/scenario/kept-assumptions.ts';
import type { Setup } from '../../sim/scenario/setup.ts';

/** The bounds that apply, by the number of processes that have started or asked. As long as none has, no bound applies. */
export type LimitsByInitiators = readonly (readonly AppliedBound[])[];

/** The bounds on the size of messages of one type. */
export interface SizeLimits {
  readonly measure: 'elements' | 'bits';
  readonly kind: string;
  readonly limits: LimitsByInitiators;
  readonly isFixed: boolean; // they are the same in every run, so a message breaks them when it is sent
}

/** The bounds on the longest chain and on the sizes of messages that a search checks. */
export interface MeasureLimits {
  readonly chain: LimitsByInitiators | null; // null if none applies in any run
  readonly sizes: readonly SizeLimits[];
}

export const noMeasureLimits: MeasureLimits = { chain: null, sizes: [] };

type Bounded = Pick<AnyAlgorithm, 'bounds'>;

const mayBreak = ({ atLeast, atMost }: AppliedBound): boolean =>
  (atMost !== null && atMost < Infinity) || (atLeast !== null && atLeast > 0);

/** Returns the bounds of an algorithm whose condition some run satisfies. The setup keeps what the algorithm assumes. */
export function measureLimitsOf(setup: Setup, together: boolean, checksChain: boolean): MeasureLimits {
  const algorithm = setup.algorithm as Bounded;
  const most = setup.starts.count;
  const timed = timedCircumstancesOf(setup);
  if (timed === null) return noMeasureLimits;
  const isPossible = (initiators: number) => initiators > 0 && (!together || initiators === most);
  const all = Array.from({ length: most + 1 }, (_, initiators) => initiators);
  const within = (circumstances: Circumstances, initiators: number): Circumstances =>
    Object.create(circumstances, { initiators: { value: initiators }, together: { value: together } });
  const limitsOn = (measure: Measured, kind?: string): LimitsByInitiators =>
    all.map((initiators) => {
      const [longest, shortest] = [within(timed.longest, initiators), within(timed.shortest, initiators)];
      const applied = isPossible(initiators)
        ? boundsOnMeasure(measureBoundsIn(algorithm, { longest, shortest }), measure, kind)
        : [];
      return applied.filter(mayBreak);
    });
  const doesApply = (limits: LimitsByInitiators) => limits.some((bounds) => bounds.length > 0);
  const sizes = (['elements', 'bits'] as const).flatMap((measure) =>
    kindsIn(algorithm, measure).flatMap((kind): SizeLimits[] => {
      const limits = limitsOn(measure, kind);
      const distinct = new Set(
        all.filter(isPossible).map((initiators) => JSON.stringify(limits[initiators])),
      );
      return doesApply(limits) ? [{ measure, kind, limits, isFixed: distinct.size === 1 }] : [];
    }),
  );
  const chain = checksChain ? limitsOn('chain') : [];
  return { chain: doesApply(chain) ? chain : null, sizes };
}

/** Returns the types of messages that bounds on a measure are about. */
const kindsIn = ({ bounds }: Bounded, measure: Measured): string[] => [
  ...new Set(bounds.flatMap(({ measures, counts }) => (measures === measure ? counts : []))),
];

const titles: Readonly<Record<Measured, string>> = {
  messages: 'messages',
  synchronisationDelay: 'the synchronisation delay',
  waitingTime: 'the waiting time',
  tokenHops: 'the token hops',
  responseTime: 'the response time',
  throughput: 'the throughput',
  electionTime: 'the election time',
  electionEnd: 'the end of the election',
  chain: chainTitle,
  elements: 'the elements of messages',
  bits: 'the bits of messages',
  totalBits: 'the bits of all messages',
  load: 'the load',
};

const simulated: readonly Measured[] = [
  'synchronisationDelay',
  'waitingTime',
  'tokenHops',
  'responseTime',
  'throughput',
  'electionTime',
  'electionEnd',
  'totalBits',
  'load',
];

/** Says which of the declared bounds are not checked, and why; null if all are. `againstCounts` is why the messages of a run cannot be counted. */
export function uncheckedBounds(
  { bounds }: Bounded,
  { chain, sizes }: MeasureLimits,
  againstCounts: string | null,
): string | null {
  const declared = new Set((bounds as readonly Bound[]).map(({ measures }) => measures ?? 'messages'));
  const counted = (['messages', 'chain'] as const).filter((measure) => declared.has(measure));
  const isUnmet = {
    chain: againstCounts === null && chain === null,
    elements: sizes.every(({ measure }) => measure !== 'elements'),
    bits: sizes.every(({ measure }) => measure !== 'bits'),
  };
  const conditional = (bounds as readonly Bound[]).filter(
    ({ measures, when }) => when !== undefined && isUnmet[measures as keyof typeof isUnmet],
  );
  const unmet = new Set(conditional.map(({ measures }) => measures!));
  const conditions = new Set(conditional.map(({ when }) => when!.condition));
  const reasons: [which: readonly Measured[], why: string][] = [
    [againstCounts === null ? [] : counted, againstCounts ?? ''],
    [[...unmet], `they apply only if ${[...conditions].join(' or ')}`],
    [simulated.filter((measure) => declared.has(measure)), 'baton simulate measures times and totals'],
  ];
  const texts = reasons.flatMap(([which, why]) =>
    which.length === 0 ? [] : [`its bounds on ${which.map((one) => titles[one]).join(', ')}: ${why}`],
  );
  return texts.length === 0 ? null : texts.join('; ');
}
