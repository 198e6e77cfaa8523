import { algorithmInfo } from '../../catalogue/index.ts';
import type { Assumptions, ChannelKind } from '../../core/algorithm.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import type { Fault, Setup } from '../../sim/index.ts';
import { isConnectedAfter } from '../../sim/scenario/faults.ts';

type AssumptionFields = Readonly<Record<string, string>>;

/** Something the algorithm counts on, that can be taken away from it. */
export interface Assumption {
  readonly says: string; // as it is assumed
  readonly isViolated: (setup: Setup) => boolean;
  readonly fields: readonly [string, ...string[]]; // of the scenario, that take it away
  readonly costs?: string; // what is void, if not everything
}

/** One that the page takes away by itself. */
export interface SwitchableAssumption extends Assumption {
  readonly value: (n: number) => string; // of the first field
  readonly checkFields: AssumptionFields; // for the checker to find out what fails without it
}

const hasFault =
  (...types: Fault['type'][]) =>
  ({ faults = [] }: Setup): boolean =>
    faults.some(({ type }) => types.includes(type));

const isLate = (setup: Setup): boolean =>
  setup.latency.max === Infinity || hasFault('pause', 'partition')(setup);

const ranks: readonly ChannelKind[] = ['unordered', 'fifo', 'causal'];

const order = (assumed: 'fifo' | 'causal'): SwitchableAssumption => {
  const weaker = assumed === 'fifo' ? 'unordered' : 'fifo';
  return {
    says: assumed === 'fifo' ? 'channels keep order' : 'messages arrive in causal order',
    isViolated: ({ channels = assumed }) => ranks.indexOf(channels) < ranks.indexOf(assumed),
    fields: ['channels'],
    value: () => weaker,
    checkFields: { channels: weaker },
  };
};
const orders = { unordered: [], fifo: [order('fifo')], causal: [order('causal')] } as const;

const nothingLost: SwitchableAssumption = {
  says: 'no message is lost',
  isViolated: (setup) => setup.loss > 0 || hasFault('lose')(setup),
  fields: ['loss', 'lose'],
  value: () => '0.1',
  checkFields: { losses: '1' },
};

const nothingTwice: SwitchableAssumption = {
  says: 'no message comes twice',
  isViolated: ({ duplication = 0 }) => duplication > 0,
  fields: ['duplication'],
  value: () => '0.3',
  checkFields: { repeats: '1' },
};

const nobodyCrashes: SwitchableAssumption = {
  says: 'nobody crashes',
  isViolated: hasFault('crash'),
  fields: ['crash', 'restart'],
  value: (n) => `${Math.min(1, n - 1)}@5`,
  checkFields: { crashes: '1' },
};

const onTime: SwitchableAssumption = {
  says: 'messages arrive before timers end',
  isViolated: isLate,
  fields: ['latency', 'pause', 'partition'],
  value: () => 'exponential:20',
  checkFields: { timing: 'off' },
};

const evenClocks: SwitchableAssumption = {
  says: 'clocks run alike',
  isViolated: ({ clocks }) => clocks?.some((unit) => unit !== clocks[0]) ?? false,
  fields: ['clocks'],
  value: (n) => Array.from({ length: n }, (_, i) => (i === 0 ? '20' : '1')).join(','),
  checkFields: { timing: 'off' },
  costs: 'the bound on messages grows with the ratio of the clocks',
};

/** What the algorithm assumes and a switch takes away. */
export function switchableAssumptions(algorithm: EitherAlgorithm): SwitchableAssumption[] {
  const { channels, failures, timing } = algorithmInfo(algorithm).assumes;
  const living = failures === 'crash' ? [] : [nobodyCrashes];
  if (channels === null) return living;
  return [
    ...orders[channels],
    ...(failures === 'token loss' ? [] : [nothingLost]),
    nothingTwice,
    ...living,
    ...(timing === 'bounded' ? [onTime] : []),
    ...(timing === 'archimedean' ? [evenClocks] : []),
  ];
}

const pausesEnd: Assumption = {
  says: 'pauses and partitions end',
  isViolated: ({ faults = [] }) => faults.some((fault) => 'until' in fault && fault.until === Infinity),
  fields: ['pause', 'partition'],
};

/** What may be, if the algorithm allows for it; only an address takes it away. */
const unlessAllowed: readonly (Assumption & { readonly by: Assumptions['failures'] })[] = [
  {
    by: 'link changes',
    says: 'every link stays',
    isViolated: hasFault('cut', 'link'),
    fields: ['cut', 'link'],
  },
  {
    by: 'corruption',
    says: 'variables keep their values',
    isViolated: hasFault('corrupt'),
    fields: ['corrupt'],
  },
  { by: 'lies', says: 'no clock lies', isViolated: hasFault('lie'), fields: ['lie'] },
];

/** What is still assumed where some of it is allowed for. */
const residualAssumptions: Partial<Record<Assumptions['failures'], Assumption>> = {
  'token loss': {
    says: 'messages are not lost at random',
    isViolated: ({ loss = 0 }) => loss > 0,
    fields: ['loss'],
  },
  'link changes': {
    says: 'the network is connected in the end',
    isViolated: ({ faults = [], topology }) => topology !== undefined && !isConnectedAfter(faults, topology),
    fields: ['cut', 'link'],
  },
};

const ofClocks: readonly Assumption[] = [
  {
    says: 'no clock is set',
    isViolated: ({ clockConfig }) => clockConfig?.slew === Infinity,
    fields: ['slew'],
  },
  {
    says: 'no clock drifts more than is believed',
    isViolated: ({ clockConfig }) =>
      clockConfig?.drifts.some((one) => Math.abs(one) > clockConfig.drift) ?? false,
    fields: ['drifts', 'drift'],
  },
];

const fastEnough: Assumption = {
  says: 'messages and processes are fast enough',
  isViolated: isLate,
  fields: ['latency', 'pause', 'partition'],
};

/** What else it assumes: there is no switch for it, but a scenario can be without. */
function fixedAssumptions(algorithm: EitherAlgorithm): Assumption[] {
  const { channels, failures, timing } = algorithmInfo(algorithm).assumes;
  if (channels === null) return [pausesEnd];
  return [
    ...unlessAllowed.filter(({ by }) => by !== failures),
    ...(residualAssumptions[failures] ? [residualAssumptions[failures]] : []),
    ...(timing === 'archimedean' ? [fastEnough] : []),
    ...(timing === 'asynchronous' ? [pausesEnd] : []),
    ...ofClocks,
  ];
}

/** All that a run is without. */
export const violatedAssumptions = (algorithm: EitherAlgorithm, setup: Setup): Assumption[] =>
  [...switchableAssumptions(algorithm), ...fixedAssumptions(algorithm)].filter(({ isViolated }) =>
    isViolated(setup),
  );

export const isSwitchable = (assumption: Assumption): assumption is SwitchableAssumption =>
  'value' in assumption;

const promises = {
  mutex: 'that at most one is inside, and that whoever asks enters',
  election: 'that there is one leader, and that everybody learns it',
  clocks: 'that clocks are as near as was said',
} as const;

/** What is not promised any more, in a sentence. */
export function voidedPromises(
  { problem }: Pick<EitherAlgorithm, 'problem'>,
  gone: readonly Assumption[],
): string {
  const dear = gone.filter(({ costs }) => costs === undefined);
  const costs = gone.flatMap((one) => one.costs ?? []);
  const says = `No longer true: ${gone.map((one) => one.says).join(', ')}.`;
  return [
    says,
    ...(dear.length > 0 ? [`What is promised is void: ${promises[problem]}.`] : []),
    ...costs.map((text) => text.replace(/^./, (first) => `${first.toUpperCase()}`)).map((text) => `${text}.`),
  ].join(' ');
}

/** What has the checker look for a failure: small, since a small world shows it. */
export function checkRequestWithout(
  { algorithm, n, entries }: Setup,
  gone: readonly SwitchableAssumption[],
): string {
  const fields: AssumptionFields = {
    n: `${Math.min(3, n)}`,
    ...(algorithm.problem === 'mutex' && { entries: `${Math.min(2, entries)}` }),
    ...Object.assign({}, ...gone.map(({ checkFields }) => checkFields)),
  };
  return [algorithm.name, ...Object.entries(fields).map(([field, value]) => `${field}:${value}`)].join(';');
}
