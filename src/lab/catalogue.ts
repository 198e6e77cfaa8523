import { algorithms, berkeley, bully, clockAlgorithms, sharedAlgorithms } from '../algorithms/index.ts';
import type { AnyAlgorithm, Assumptions } from '../core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import { defaultShape } from '../core/topology.ts';
import { clockMutants, type Mutant, mutants, type SharedMutant, sharedMutants } from '../mutants/index.ts';
import { withRecovery } from '../recovery/index.ts';
import { snapshotting } from '../snapshot/snapshotting.ts';
import type { Subject } from '../stage/index.ts';

/** Locks that recover have their text elsewhere, and are not shown. */
const shown = mutants.filter(({ name, snapshots }) => !name.includes('+') || snapshots !== undefined);

export const catalogue: readonly Subject[] = [
  ...algorithms,
  ...clockAlgorithms,
  withRecovery(berkeley, bully),
  ...sharedAlgorithms,
  ...shown,
  ...clockMutants,
  ...sharedMutants,
];

export const withSnapshots = '+chandy-lamport';
const observed = new Map<string, AnyAlgorithm>(); // by name

export function find(name: string): Subject | undefined {
  const found = catalogue.find((algorithm) => algorithm.name === name) ?? observed.get(name);
  if (found !== undefined || !name.endsWith(withSnapshots)) return found;
  const underlying = find(name.slice(0, -withSnapshots.length));
  if (underlying === undefined || !canBeObserved(underlying)) return undefined;
  const algorithm = snapshotting(underlying);
  observed.set(name, algorithm);
  return algorithm;
}

/** Why there is nothing to show of that name. */
export function whyNotFound(name: string): string {
  const parts = name.split('+');
  const isPart = (part: string) =>
    part === withSnapshots.slice(1) || catalogue.some((one) => one.name === part);
  const isKnown = mutants.some((mutant) => mutant.name === name) || (parts.length > 1 && parts.every(isPart));
  return isKnown
    ? `the lab does not show '${name}'; if its parts go together, baton simulate runs it`
    : `no algorithm is called '${name}'`;
}

/** The snapshots that a composition takes. */
export const snapshotsOf = (algorithm: Subject): AnyAlgorithm['snapshots'] =>
  isShared(algorithm) ? undefined : algorithm.snapshots;

/** Whether a snapshot can be taken of it. */
export const canBeObserved = (algorithm: Subject): algorithm is AnyAlgorithm =>
  !isShared(algorithm) && algorithm.problem !== 'clocks' && algorithm.snapshots === undefined;

export const isMutant = (algorithm: Subject): algorithm is Mutant | SharedMutant => 'of' in algorithm;

const people: Readonly<Record<string, string>> = Object.fromEntries(
  `Afek Gafni Agrawala Carvalho Chandy Chang Cristian Dekker Dijkstra Dolev Franklin Hélary Hirschberg Hudak Itai Kasami Klawe Korach Lamport Le Li Maekawa Martin Misra Moran
  Naimi Peterson Plouzeau Raymond Raynal Ricart Roberts Rodeh Roucairol Sinclair Singhal Suzuki Trehel Vitányi Zaks`
    .split(/\s+/)
    .map((name) => [name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(), name]),
);

const names: Readonly<Record<string, string>> = { b: 'B', 'le lann': 'Le Lann', ntp: 'NTP' };

/** `Ricart–Agrawala token` for `ricart-agrawala-token`. */
export const titleOf = ({ name }: Pick<Subject, 'name'>): string => name.split('+').map(titled).join(' + ');

function titled(name: string): string {
  const words = name.replace(/^le-lann/, 'le lann').split('-');
  const isPerson = (word: string | undefined) => word !== undefined && word in people;
  const title = words.map((word, i) => {
    const isJoined = isPerson(word) && isPerson(words[i - 1]);
    const separator = i === 0 ? '' : isJoined ? '–' : ' ';
    return separator + (people[word] ?? names[word] ?? word);
  });
  return title.join('').replace(/^./, (first) => first.toUpperCase());
}

const problems = { mutex: 'Mutual exclusion', election: 'Election', clocks: 'Clocks' } as const;

const networks: Readonly<Record<Assumptions['topology'], string>> = {
  complete: 'everybody knows everybody',
  ring: 'one-way ring',
  'two-way ring': 'two-way ring',
  tree: 'tree',
  connected: 'any network',
};

export interface Group {
  readonly title: string;
  readonly members: readonly Subject[];
}

/** What matches all words of a search, by problem and network; what is wrong on purpose comes last. */
export function grouped(search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Subject[]>();
  for (const algorithm of catalogue) {
    const title = groupOf(algorithm);
    const text =
      `${algorithm.name} ${titleOf(algorithm)} ${title} ${assumptionsOf(algorithm).join(' ')} ${algorithm.paper}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const members = groups.get(title);
    if (members) members.push(algorithm);
    else groups.set(title, [algorithm]);
  }
  return [...groups].map(([title, members]) => ({ title, members }));
}

const groupOf = (algorithm: Subject): string =>
  isMutant(algorithm)
    ? 'Wrong on purpose'
    : `${problems[algorithm.problem]}, ${isShared(algorithm) ? 'shared memory' : networks[algorithm.assumes.topology]}`;

const failing: Readonly<Record<Assumptions['failures'], string>> = {
  none: 'nothing fails',
  crash: 'processes may crash',
  'token loss': 'the token may get lost',
  corruption: 'variables may take any values',
  'link changes': 'links may come and go',
  lies: 'some clocks may be misread',
};

/** What it needs, in words. */
export function assumptionsOf(algorithm: Subject): string[] {
  if (isShared(algorithm)) return onMemory(algorithm);
  const { assumes, knows } = algorithm;
  const timing = {
    asynchronous: '',
    bounded: 'messages have a longest delay',
    archimedean: 'clocks and delays are bounded',
  }[assumes.timing];
  const channels = { unordered: '', fifo: 'FIFO channels', causal: 'causal channels' }[assumes.channels];
  const names = knows.includes('id') ? 'distinct ids' : knows.includes('me') ? '' : 'no names';
  return [networks[assumes.topology], channels, failing[assumes.failures], timing, names].filter(
    (text) => text !== '',
  );
}

function onMemory({ assumes, processes }: AnySharedAlgorithm): string[] {
  const { min = 1, max = Infinity } = processes ?? {};
  const size = min === max ? `${min} processes` : max < Infinity ? `${min} to ${max} processes` : '';
  const all = ['shared memory', 'atomic reads and writes', size, failing[assumes.failures]];
  return all.filter((text) => text !== '');
}

/** Clocks that are visibly apart and drift, and time to see them corrected. */
const ticking = (n: number, begins: string): Record<string, string> => ({
  offsets: [0, 180, -140, 90, -60, 220, -190].slice(0, n).join(','),
  drifts: [0, 20_000, -18_000, 12_000, -9000, 15_000, -20_000].slice(0, n).join(','),
  drift: '20000',
  slew: '500000',
  rounds: begins === 'all' ? '3' : '4',
  think: 'fixed:150',
});

/** A size at which one sees something. */
export function friendly(algorithm: Subject): Record<string, string> {
  if (isShared(algorithm)) {
    const { min = 1, max = Infinity } = algorithm.processes ?? {};
    return { n: `${Math.min(Math.max(3, min), max)}`, entries: '2', seed: '1' };
  }
  const { assumes, problem, synchronises, snapshots } = algorithm;
  if (synchronises) {
    const n = assumes.topology === 'tree' ? 7 : 4;
    const dies = synchronises.begins === 'all' && { crash: '0@200' };
    return { n: `${n}`, ...ticking(n, synchronises.begins), ...dies, seed: '1' };
  }
  const n = { complete: '4', ring: '6', 'two-way ring': '6', tree: '7', connected: '8' }[assumes.topology];
  return {
    n,
    ...(problem === 'mutex' && { entries: '2' }),
    ...(snapshots && { snapshot: '0@20' }),
    seed: '1',
  };
}

/** Networks to choose from. */
export function shapesFor({ assumes: { topology } }: AnyAlgorithm): readonly string[] {
  const others: Partial<Record<Assumptions['topology'], readonly string[]>> = {
    tree: ['tree', 'line', 'star'],
    connected: ['random:3', 'grid', 'tree', 'ring', 'wheel', 'star', 'line', 'complete'],
  };
  return others[topology] ?? [defaultShape(topology)];
}

type State = Readonly<Record<string, unknown>>;
type Holds = (state: State) => boolean;

const token = (kinds: readonly string[], holds: Holds) => ({ kinds, holds });
const notNull =
  (field: string): Holds =>
  (state) =>
    state[field] !== null && state[field] !== undefined;
const isTrue =
  (field: string): Holds =>
  (state) =>
    state[field] === true;

/** Which messages are the token, and how a process shows that it has it. */
const tokens: Readonly<Record<string, { readonly kinds: readonly string[]; readonly holds: Holds }>> = {
  'token-ring': token(['token'], isTrue('token')),
  'suzuki-kasami': token(['privilege'], notNull('privilege')),
  raymond: token(['privilege'], (state) => state.holder === -1),
  martin: token(['privilege'], isTrue('privilege')),
  'naimi-trehel': token(['token'], isTrue('tokenPresent')),
  'li-hudak': token(['page'], isTrue('hasPage')),
  'ricart-agrawala-token': token(['access'], notNull('token')),
  'helary-plouzeau-raynal': token(['token'], notNull('lud')),
  singhal: token(['token'], notNull('token')),
  misra: token(['ping'], notNull('ping')),
  'misra-k-tokens': token(['token'], () => false),
};

export function tokenOf(algorithm: Subject): (typeof tokens)[string] | null {
  const snapshots = snapshotsOf(algorithm);
  if (snapshots === undefined) return tokens[isMutant(algorithm) ? algorithm.of : algorithm.name] ?? null;
  const token = tokenOf(snapshots.of);
  return token && { kinds: token.kinds, holds: (state) => token.holds(state.run as State) };
}
