// The bounds on a page: the declared claims, and beside them the figures of runs with fixed seeds.
import type { AnyAlgorithm, Bound, Bypass, Circumstances, Measured } from '../../src/core/algorithm.ts';
import { InputError } from '../../src/core/assert.ts';
import { alone, limitsOf, totalOf } from '../../src/core/bounds.ts';
import { Random } from '../../src/core/random.ts';
import { type AnySharedAlgorithm, isShared, registersOf } from '../../src/core/shared-algorithm.ts';
import { bypassCountingText as countedFrom } from '../../src/problems/bypass-counter.ts';
import { stableFor } from '../../src/problems/leader-stability.ts';
import { type Run, type Scenario, simulate } from '../../src/sim/index.ts';
import { circumstancesOf } from '../../src/sim/scenario/kept-assumptions.ts';
import { prepare } from '../../src/sim/scenario/setup.ts';
import { timesTable } from './measured-times.ts';

type One = AnyAlgorithm | AnySharedAlgorithm;

interface Setting {
  readonly name: string;
  readonly where: string; // the part of the name that says which network
  readonly isolated: boolean; // requests rarely overlap
  readonly scenario: (n: number, seed: number) => Scenario;
}

const seeds = 20;
const seedsOfLarge = 2; // if every entry costs hundreds of messages or accesses
const randomStart = (n: number, seed: number) => [{ process: new Random(seed, 'who starts').below(n) }];

/** Returns the ticks between two requests under light load. Perpetual messages and steps make long gaps costly; shared memory needs them for its many steps. */
function gapOf(algorithm: One): number {
  if (algorithm.perpetual) return 200;
  return isShared(algorithm) ? 20_000 : 2000;
}

function loads(where: string, scenario: Scenario, gap: number): Setting[] {
  const setting = (how: string, isolated: boolean, more: (n: number, seed: number) => Scenario): Setting => ({
    name: where === '' ? how : `${where}, ${how}`,
    where,
    isolated,
    scenario: (n, seed) => ({
      ...scenario,
      n,
      seed,
      entries: Math.max(3, Math.ceil(100 / n)),
      ...more(n, seed),
    }),
  });
  return [
    setting('light', true, (n) => ({ think: `exponential:${gap * n}` })),
    setting('heavy', false, () => ({ think: 'fixed:0' })),
  ];
}

const oneAsks: Setting = {
  name: 'one asks',
  where: '',
  isolated: true,
  scenario: (n, seed) => ({ n, seed, start: randomStart(n, seed) }),
};

const starts: Setting[] = [
  { name: 'all start', where: '', isolated: false, scenario: (n, seed) => ({ n, seed, start: 'all' }) },
  {
    name: 'one starts',
    where: '',
    isolated: false,
    scenario: (n, seed) => ({ n, seed, start: randomStart(n, seed) }),
  },
];

const rounds: Setting[] = [
  { name: 'once', where: '', isolated: false, scenario: (n, seed) => ({ n, seed }) },
  { name: 'again', where: '', isolated: false, scenario: (n, seed) => ({ n, seed, rounds: 3 }) },
];

/** The networks to measure on, if the bounds depend on the shape. Other algorithms have one shape only. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  'helary-plouzeau-raynal': ['tree', 'ring', 'grid'],
  'helary-plouzeau-raynal-flooding': ['tree', 'ring', 'grid'],
  'helary-plouzeau-raynal-relinking': ['grid'],
  raymond: ['tree', 'line', 'star'],
};

function settingsOf(algorithm: One): readonly Setting[] {
  const { name, problem } = algorithm;
  if (problem === 'election') return starts;
  if (problem === 'clocks') return rounds;
  const gap = gapOf(algorithm);
  const settings =
    shapes[name]?.flatMap((topology) => loads(topology, { topology }, gap)) ?? loads('', {}, gap);
  return boundsOf(algorithm).some(({ when }) => when === alone) ? [...settings, oneAsks] : settings;
}

const allBoundsOf = ({ bounds }: One): readonly Bound[] => bounds;

const isCount = ({ measures = 'messages' }: Bound) => measures === 'messages';

/** The bounds on the number of messages or accesses. */
const boundsOf = (algorithm: One): readonly Bound[] => allBoundsOf(algorithm).filter(isCount);

const measureNames: Readonly<Record<Measured, string>> = {
  messages: 'messages',
  synchronisationDelay: 'synchronisation delay',
  waitingTime: 'waiting time',
  tokenHops: 'hops of',
  responseTime: 'response time',
  throughput: 'throughput',
  electionTime: 'time until the winner knows',
  electionEnd: 'time until all know',
  chain: 'longest chain of',
  elements: 'elements of',
  bits: 'bits of',
  totalBits: 'bits of all messages',
  load: "the busiest process's share of messages sent and received",
};

const circumstances = (algorithm: One, scenario: Scenario): Circumstances =>
  circumstancesOf(prepare(algorithm, scenario));

const mostMessages = 100_000; // of an election: twenty runs with more take too long

/** Returns the sizes that an algorithm supports. Processes that wait by reading registers cannot be many. */
function sizesOf(algorithm: One, { scenario }: Setting): number[] {
  const sizes = isShared(algorithm) ? [2, 5, 17] : [2, 5, 17, 100];
  return sizes.filter((n) => {
    try {
      const given = circumstances(algorithm, scenario(n, 0));
      const least = algorithm.problem === 'election' ? totalOf(limitsOf(algorithm, given), []).atLeast : 0;
      return given.n === n && least <= mostMessages;
    } catch (error) {
      if (error instanceof InputError) return false;
      throw error;
    }
  });
}

/** A group of message kinds that the papers count together, or all of them. */
interface Group {
  readonly counts: readonly string[];
  readonly title: string;
  readonly claims: (algorithm: One, setting: Setting, n: number) => string;
}

const codes = (kinds: readonly string[]) => kinds.map((kind) => `\`${kind}\``).join(' + ');
const number = (value: number): string => `${Math.round(value * 100) / 100}`;

function range(atLeast: number, atMost: number): string {
  if (atLeast === atMost) return number(atLeast);
  if (atMost === Infinity) return atLeast === 0 ? 'any' : `≥ ${number(atLeast)}`;
  return atLeast === 0 ? `≤ ${number(atMost)}` : `${number(atLeast)} .. ${number(atMost)}`;
}

function groupsOf(algorithm: One): Group[] {
  const kinds = [...new Map(boundsOf(algorithm).map(({ counts }) => [counts.join(' '), counts])).values()];
  const groups = kinds.map((counts): Group => ({ counts, title: codes(counts), claims: claimsOf(counts) }));
  if (kinds.length === 1) return groups;
  const claims: Group['claims'] = (one, { scenario }, n) => {
    const limits = limitsOf(one, circumstances(one, scenario(n, 0)));
    const { atLeast, atMost } = totalOf(limits, kinds.flat());
    return range(atLeast, atMost);
  };
  return [...groups, { counts: kinds.flat(), title: 'all', claims }];
}

const bypassOf = (algorithm: One): readonly Bypass[] => (isShared(algorithm) ? [] : (algorithm.bypass ?? []));

/** Returns the most entries of others while a process waited, over all runs of a size. */
function bypassRows(algorithm: One, bySize: readonly (readonly Run[])[]): string[] {
  return bypassOf(algorithm).map(({ from }) => {
    const most = bySize.map((runs) => Math.max(...runs.map(({ bypass }) => bypass![from])));
    return line(['entries of others', `**measured**, most, ${countedFrom[from]}`, ...most.map(number)]);
  });
}

const claimsOf =
  (counts: readonly string[]): Group['claims'] =>
  (algorithm, { scenario, isolated }, n) => {
    const given = circumstances(algorithm, scenario(n, 0));
    const isOurs = (other: { readonly counts: readonly string[] }) => other.counts.join() === counts.join();
    const { atLeast, atMost } = limitsOf(algorithm, given).find(isOurs)!;
    const applies = ({ when }: Bound) =>
      when === undefined || when.holds(given) || (isolated && when.condition.startsWith('isolated'));
    const mean = boundsOf(algorithm).find(
      (bound) => bound.case === 'mean' && isOurs(bound) && applies(bound),
    );
    const about = mean === undefined ? '' : `, mean ${number(mean.value(given))}`;
    return `${range(atLeast, atMost)}${about}`;
  };

/** Returns messages of these kinds per entry, synchronisation or election: least / mean / most over the runs. */
function counted(runs: readonly Run[], counts: readonly string[]): string {
  const values = runs.map(({ messages, times }) => {
    const sent = counts.reduce((sum, kind) => sum + (messages.byType[kind] ?? 0), 0);
    return sent / Math.max(1, times);
  });
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return least === most ? number(least) : `${number(least)} / ${number(mean)} / ${number(most)}`;
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const words: Readonly<Record<Bound['case'], string>> = {
  always: 'exactly',
  best: 'at least',
  worst: 'at most',
  mean: 'on average',
};

const unitOf = (algorithm: One) => (isShared(algorithm) ? 'accesses' : 'messages');

function claimedTable(algorithm: One): string[] {
  const rows = boundsOf(algorithm).map((bound) => [
    codes(bound.counts),
    `${words[bound.case]} \`${bound.formula}\``,
    bound.when?.condition ?? 'always',
    bound.source,
  ]);
  for (const bound of allBoundsOf(algorithm).filter((one) => !isCount(one)))
    rows.push([
      [measureNames[bound.measures!], ...(bound.counts.length > 0 ? [codes(bound.counts)] : [])].join(' '),
      `${words[bound.case]} \`${bound.formula}\``,
      bound.when?.condition ?? 'always',
      bound.source,
    ]);
  for (const { formula, from, when, source } of bypassOf(algorithm)) {
    const claim = formula === 'none' ? 'no bound' : `at most \`${formula}\``;
    rows.push(['entries of others while one waits', claim, when?.condition ?? countedFrom[from], source]);
  }
  return [
    line([unitOf(algorithm), 'claimed', 'when', 'source']),
    '| --- | --- | --- | --- |',
    ...rows.map(line),
  ];
}

/** Names the settings of a row: by network if they are all of one, otherwise by name. Returns an empty text for all settings. */
function about(all: readonly Setting[], some: readonly Setting[]): string {
  if (some.length === all.length) return '';
  const [{ where }] = some as [Setting];
  const isNetwork =
    where !== '' &&
    some.every((setting) => setting.where === where) &&
    some.length === all.filter((setting) => setting.where === where).length;
  return `, ${isNetwork ? where : some.map(({ name }) => name).join(' and ')}`;
}

/** Merges neighbours with equal text. */
function merged(texts: readonly string[]): { from: number; until: number; text: string }[] {
  const ranges: { from: number; until: number; text: string }[] = [];
  texts.forEach((text, k) => {
    if (ranges.at(-1)?.text === text) ranges.at(-1)!.until = k + 1;
    else ranges.push({ from: k, until: k + 1, text });
  });
  return ranges;
}

function measuredTable(algorithm: One, settings: readonly Setting[], sizes: readonly number[]): string[] {
  const runs = settings.map((setting) => sizes.map((n) => runsOf(algorithm, setting, n)));
  const lines = [
    line([unitOf(algorithm), '', ...sizes.map((n) => `n = ${n}`)]),
    `| --- | --- |${' --- |'.repeat(sizes.length)}`,
  ];
  for (const { counts, title, claims } of groupsOf(algorithm)) {
    const claimed = settings.map((setting) => sizes.map((n) => claims(algorithm, setting, n)).join(' | '));
    const measured = runs.map((bySize) => bySize.map((some) => counted(some, counts)).join(' | '));
    const rows = merged(claimed).flatMap(({ from, until, text }) => {
      const of = (a: number, b: number) => about(settings, settings.slice(a, b));
      const results = merged(measured.slice(from, until)).map((result) => ({
        ...result,
        of: of(from + result.from, from + result.until),
      }));
      if (results.length === 1 && results[0]!.text === text)
        return [`claimed and **measured**${results[0]!.of} | ${text}`];
      return [
        `claimed${of(from, until)} | ${text}`,
        ...results.map((result) => `**measured**${result.of} | ${result.text}`),
      ];
    });
    lines.push(...rows.map((row, k) => line([k === 0 ? title : '', row])));
  }
  lines.push(
    ...bypassRows(
      algorithm,
      sizes.map((_, k) => runs.flatMap((bySize) => bySize[k]!)),
    ),
  );
  if (isShared(algorithm))
    lines.push(line(['registers', '', ...sizes.map((n) => `${registersOf(algorithm.registers(n)).length}`)]));
  return lines;
}

const isLarge = (algorithm: One, n: number): boolean =>
  algorithm.problem === 'mutex' && n >= (isShared(algorithm) ? 17 : 100);

function runsOf(algorithm: One, { scenario }: Setting, n: number): Run[] {
  const length = isLarge(algorithm, n) ? seedsOfLarge : seeds;
  const all = Array.from({ length }, (_, seed) => simulate(algorithm, scenario(n, seed)));
  const bad = all.find(({ ok }) => !ok);
  if (bad) throw new Error(`${algorithm.name}, n = ${n}, seed ${bad.seed}: ${bad.violations[0]?.why}`);
  return all;
}

function howCounted(algorithm: One, settings: readonly Setting[], sizes: readonly number[]): string {
  if (algorithm.problem === 'election' && !isShared(algorithm) && algorithm.perpetual)
    return `Messages per election: least / mean / most of ${seeds} runs; one number where all runs agree. One starts: anybody, drawn by the seed. A message takes 1 to 10
ticks. Messages never cease: a run ends when the leader has stayed for ${stableFor} longest delays.`;
  if (algorithm.problem === 'election')
    return `Messages per election: least / mean / most of ${seeds} runs, ids placed at random; one number where all runs agree. One starts: anybody, drawn
by the seed. A message takes 1 to 10 ticks.`;
  if (algorithm.problem === 'clocks')
    return `Messages per synchronisation, of ${seeds} runs; one number where all runs agree. Once, or three times. A message takes 1 to 10 ticks.`;
  const [What, step] = isShared(algorithm) ? ['Accesses', 'step'] : ['Messages', 'message'];
  const large = sizes.find((n) => isLarge(algorithm, n));
  const few = large === undefined ? '' : ` (${seedsOfLarge} for n = ${large})`;
  const one = settings.includes(oneAsks) ? ' One asks: anybody, drawn by the seed, once.' : '';
  return `${What} per entry: least / mean / most of ${seeds} runs${few}, each run's ${unitOf(algorithm)} divided by its entries, of which there are
100 or more; one number where all runs agree. Light: requests of anybody, one in about ${gapOf(algorithm)} ticks; heavy: everybody asks again as soon as it
has left.${one} A ${step} takes 1 to 10 ticks.`;
}

export function measuredOf(algorithm: One): string {
  const settings = settingsOf(algorithm);
  const sizes = sizesOf(algorithm, settings[0]!);
  const table = measuredTable(algorithm, settings, sizes);
  return [
    ...claimedTable(algorithm),
    '',
    howCounted(algorithm, settings, sizes),
    '',
    ...table,
    '',
    ...timesTable(algorithm, sizes),
  ].join('\n');
}
