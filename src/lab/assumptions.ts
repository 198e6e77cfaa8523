import type { ChannelKind } from '../core/algorithm.ts';
import type { SetupOf, Stage, Subject } from '../stage/index.ts';

/** What a setup says of what can be taken away; one of shared memory says less. */
type Setup = Partial<
  Pick<Stage['setup'], 'channels' | 'loss' | 'duplication' | 'faults' | 'latency' | 'clocks'>
>;
type Fields = Readonly<Record<string, string>>;

/** Something the algorithm counts on, that can be taken away from it. */
export interface Assumption {
  readonly says: string; // as it is assumed
  readonly isGone: (setup: Setup) => boolean;
  readonly field: string; // of the scenario, that takes it away,
  readonly value: (n: number) => string; // by this
  readonly question: Fields; // for the checker to find out what fails without it
  readonly costs?: string; // what is void, if not everything
}

const ranks: readonly ChannelKind[] = ['unordered', 'fifo', 'causal'];

const order = (assumed: 'fifo' | 'causal'): Assumption => {
  const weaker = assumed === 'fifo' ? 'unordered' : 'fifo';
  return {
    says: assumed === 'fifo' ? 'channels keep order' : 'messages arrive in causal order',
    isGone: ({ channels = assumed }) => ranks.indexOf(channels) < ranks.indexOf(assumed),
    field: 'channels',
    value: () => weaker,
    question: { channels: weaker },
  };
};

const nothingLost: Assumption = {
  says: 'no message is lost',
  isGone: ({ loss = 0 }) => loss > 0,
  field: 'loss',
  value: () => '0.1',
  question: { losses: '1' },
};

const nothingTwice: Assumption = {
  says: 'no message comes twice',
  isGone: ({ duplication = 0 }) => duplication > 0,
  field: 'duplication',
  value: () => '0.3',
  question: { repeats: '1' },
};

const nobodyCrashes: Assumption = {
  says: 'nobody crashes',
  isGone: ({ faults = [] }) => faults.some(({ type }) => type === 'crash'),
  field: 'crash',
  value: (n) => `${Math.min(1, n - 1)}@5`,
  question: { crashes: '1' },
};

const onTime: Assumption = {
  says: 'messages arrive before timers end',
  isGone: ({ latency }) => latency?.max === Infinity,
  field: 'latency',
  value: () => 'exponential:20',
  question: { timing: 'off' },
};

const evenClocks: Assumption = {
  says: 'clocks run alike',
  isGone: ({ clocks }) => clocks?.some((unit) => unit !== clocks[0]) ?? false,
  field: 'clocks',
  value: (n) => Array.from({ length: n }, (_, i) => (i === 0 ? '20' : '1')).join(','),
  question: { timing: 'off' },
  costs: 'the bound on messages grows with the ratio of the clocks',
};

/** What the algorithm assumes and a scenario can take away. */
export function assumptionsFor({ assumes }: Pick<Subject, 'assumes'>): Assumption[] {
  if (!('channels' in assumes)) return assumes.failures === 'crash' ? [] : [nobodyCrashes];
  const { channels, failures, timing } = assumes;
  return [
    ...(channels === 'unordered' ? [] : [order(channels)]),
    ...(failures === 'token loss' ? [] : [nothingLost]),
    nothingTwice,
    ...(failures === 'crash' ? [] : [nobodyCrashes]),
    ...(timing === 'bounded' ? [onTime] : []),
    ...(timing === 'archimedean' ? [evenClocks] : []),
  ];
}

const promises = {
  mutex: 'that at most one is inside, and that whoever asks enters',
  election: 'that there is one leader, and that everybody learns it',
  clocks: 'that clocks are as near as was said',
} as const;

/** What is not promised any more, in a sentence. */
export function voided({ problem }: Pick<Subject, 'problem'>, gone: readonly Assumption[]): string {
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
export function questionWithout(
  { algorithm, n, entries }: SetupOf<Subject>,
  gone: readonly Assumption[],
): string {
  const fields: Fields = {
    n: `${Math.min(3, n)}`,
    ...(algorithm.problem === 'mutex' && { entries: `${Math.min(2, entries)}` }),
    ...Object.assign({}, ...gone.map(({ question }) => question)),
  };
  return [algorithm.name, ...Object.entries(fields).map(([field, value]) => `${field}:${value}`)].join(';');
}
