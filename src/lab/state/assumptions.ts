import { algorithmInfo } from '../../catalogue/index.ts';
import type { Assumptions, ChannelKind } from '../../core/algorithm.ts';
import { declared, type EitherAlgorithm } from '../../machine/index.ts';
import type { Fault, Setup } from '../../sim/index.ts';
import { isConnectedAfter } from '../../sim/scenario/faults.ts';
import {
  faultsWithin,
  keepsMajority,
  longestLatency,
  mayRestart,
} from '../../sim/scenario/kept-assumptions.ts';

type AssumptionFields = Readonly<Record<string, string>>;

/** An assumption of the algorithm that a scenario can violate. */
export interface Assumption {
  readonly says: string; // for the user
  readonly isViolated: (setup: Setup) => boolean;
  readonly fields: readonly [string, ...string[]]; // the fields of the scenario that violate it
  readonly costs?: string; // the consequence, if not every promise is void
}

/** An assumption with a switch on the page. */
export interface SwitchableAssumption extends Assumption {
  readonly value: (n: number) => string; // of the first field, to violate it
  readonly checkFields: AssumptionFields; // let the checker find a failure without it
}

const hasFault =
  (...types: Fault['type'][]) =>
  ({ faults = [] }: Setup): boolean =>
    faults.some(({ type }) => types.includes(type));

const isLate = (setup: Setup): boolean =>
  longestLatency(setup) === Infinity || hasFault('pause', 'partition')(setup);

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
  isViolated: (setup) => faultsWithin(setup).some(({ type }) => type === 'crash'),
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

const equalClocks: SwitchableAssumption = {
  says: 'clocks run alike',
  isViolated: ({ clocks }) => clocks?.some((unit) => unit !== clocks[0]) ?? false,
  fields: ['clocks'],
  value: (n) => Array.from({ length: n }, (_, i) => (i === 0 ? '20' : '1')).join(','),
  checkFields: { timing: 'off' },
};

const evenClocks: SwitchableAssumption = {
  ...equalClocks,
  costs: 'the bound on messages grows with the ratio of the clocks',
};

/** Returns the assumptions of the algorithm that have a switch. */
export function switchableAssumptions(algorithm: EitherAlgorithm): SwitchableAssumption[] {
  const { channels, failures, timing } = algorithmInfo(algorithm).assumes;
  const crashFree = failures === 'crash' ? [] : [nobodyCrashes];
  if (channels === null) return crashFree;
  return [
    ...orders[channels],
    ...(failures === 'token loss' ? [] : [nothingLost]),
    nothingTwice,
    ...crashFree,
    ...(timing === 'bounded' || timing === 'synchronous' ? [onTime] : []),
    ...(timing === 'synchronous' ? [equalClocks] : []),
    ...(timing === 'archimedean' ? [evenClocks] : []),
  ];
}

const pausesEnd: Assumption = {
  says: 'pauses and partitions end',
  isViolated: ({ faults = [] }) => faults.some((fault) => 'until' in fault && fault.until === Infinity),
  fields: ['pause', 'partition'],
};

/** Assumptions of all algorithms but those that tolerate the failure. Only a link can violate them. */
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

/** Assumptions that remain for algorithms that tolerate a failure in part. */
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

const clockAssumptions: readonly Assumption[] = [
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

const nobodyRestarts: Assumption = {
  says: 'nobody restarts',
  isViolated: hasFault('restart'),
  fields: ['restart'],
};

const mostAlive: Assumption = {
  says: 'most processes are alive',
  isViolated: ({ faults = [], n }) => !keepsMajority(faults, n),
  fields: ['crash'],
};

/** Returns the assumptions that have no switch, but that a scenario can violate. */
function fixedAssumptions(algorithm: EitherAlgorithm): Assumption[] {
  const { channels, failures, timing } = algorithmInfo(algorithm).assumes;
  const { assumes } = declared(algorithm);
  if (channels === null) return [pausesEnd];
  return [
    ...(failures === 'crash' && !mayRestart(declared(algorithm)) ? [nobodyRestarts] : []),
    ...(assumes.quorum === 'majority' ? [mostAlive] : []),
    ...unlessAllowed.filter(({ by }) => by !== failures),
    ...(residualAssumptions[failures] ? [residualAssumptions[failures]] : []),
    ...(timing === 'archimedean' ? [fastEnough] : []),
    ...(timing === 'asynchronous' ? [pausesEnd] : []),
    ...clockAssumptions,
  ];
}

/** Returns all assumptions that a run violates. */
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

/** Says in a sentence which promises are void. */
export function voidedPromises(
  { problem }: Pick<EitherAlgorithm, 'problem'>,
  violated: readonly Assumption[],
): string {
  const fatal = violated.filter(({ costs }) => costs === undefined);
  const costs = violated.flatMap((one) => one.costs ?? []);
  const says = `No longer true: ${violated.map((one) => one.says).join(', ')}.`;
  return [
    says,
    ...(fatal.length > 0 ? [`What is promised is void: ${promises[problem]}.`] : []),
    ...costs.map((text) => text.replace(/^./, (first) => `${first.toUpperCase()}`)).map((text) => `${text}.`),
  ].join(' ');
}

/** Returns a check request that looks for a failure without these assumptions. A small system is enough to show it. */
export function checkRequestWithout(
  { algorithm, n, entries }: Setup,
  violated: readonly SwitchableAssumption[],
): string {
  const fields: AssumptionFields = {
    n: `${Math.min(3, n)}`,
    ...(algorithm.problem === 'mutex' && { entries: `${Math.min(2, entries)}` }),
    ...Object.assign({}, ...violated.map(({ checkFields }) => checkFields)),
  };
  return [algorithm.name, ...Object.entries(fields).map(([field, value]) => `${field}:${value}`)].join(';');
}
