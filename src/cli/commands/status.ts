import {
  type ConsistentInspection,
  type ConsistentLock,
  groups,
  type Inspection,
  inspectGroup,
  inspectGroupConsistently,
} from '../../cluster/index.ts';
import { type ConnectionFlags, connectionOptionsFrom, defaultGroup } from '../input/connection-flags.ts';
import { elapsedText } from '../output/elapsed-time.ts';
import { table } from '../output/table.ts';
import { visibleFields, visibleJson } from '../output/visible-fields.ts';

export interface StatusOptions extends ConnectionFlags {
  readonly group?: string;
  readonly json?: boolean;
  readonly consistent?: boolean;
}

/** Inspects groups without joining them. */
export async function statusCommand({ json, consistent, ...options }: StatusOptions): Promise<number> {
  const connection = connectionOptionsFrom(options);
  const group = options.group ?? (connection.engine === undefined ? undefined : defaultGroup);
  const names = group === undefined ? groups() : [group];
  const found = consistent
    ? await collect(
        names.map((name) => inspectGroupConsistently(name, connection)),
        consistentStatusText,
      )
    : await collect(
        names.map((name) => inspectGroup(name, connection)),
        statusText,
      );
  if (json) {
    const all = found.map(({ inspection }) => inspection);
    console.log(visibleJson(group === undefined ? all : (all[0] ?? nobody(group))));
  } else if (found.length === 0)
    console.log(
      group === undefined ? 'no group on this machine has members' : `nobody is in group '${group}'`,
    );
  else console.log(found.map(({ text }) => text).join('\n'));
  return 0;
}

/** Returns the groups that exist, each with its text. */
const collect = async <T>(asked: readonly Promise<T | null>[], text: (inspection: T) => string) =>
  (await Promise.all(asked)).flatMap((one) =>
    one === null ? [] : [{ inspection: one, text: text(visibleFields(one)) }],
  );

const nobody = (group: string): Inspection => ({
  ...{ group, epoch: 0, members: [], locks: [], elections: [] },
  ...{ clocksBy: null, skews: [] },
});

function statusText(inspection: Inspection): string {
  const { group, epoch, members, locks, elections } = inspection;
  const silent = members.filter(({ answered }) => !answered);
  const lines = [
    `group ${group}, epoch ${epoch}, ${members.length} ${members.length === 1 ? 'member' : 'members'}`,
    `  ${members.map(({ label }) => label).join('  ')}`,
    ...(silent.length > 0 ? [`  no answer from ${silent.map(({ label }) => label).join(', ')}`] : []),
    ...clocks(inspection),
    ...inspection.skews.map(warning),
  ];
  const rows = [
    ...locks.map(({ name, holder, waiters }) => [`lock ${name}`, held('held by', holder), waiting(waiters)]),
    ...elections.map(({ name, leader, candidates }) => [
      `election ${name}`,
      held('led by', leader),
      waiting(candidates),
    ]),
  ];
  return `${lines.join('\n')}\n${table(rows, '  ')}`;
}

/** Lists every lock with its holder, or with the place of its token. */
function consistentStatusText({ group, epoch, members, locks, elections }: ConsistentInspection): string {
  const lines = [
    `group ${group}, epoch ${epoch}, ${members.length} ${members.length === 1 ? 'member' : 'members'}, in one state`,
    `  ${members.map(({ label }) => label).join('  ')}`,
  ];
  const row = (what: string, how: string) => (lock: ConsistentLock) => [
    `${what} ${lock.name}`,
    holderOrToken(how, lock),
    lock.waiters.length === 0 ? '' : `then ${lock.waiters.map(({ label }) => label).join(', ')}`,
  ];
  const rows = [...locks.map(row('lock', 'held by')), ...elections.map(row('election', 'led by'))];
  return `${lines.join('\n')}\n${table(rows, '  ')}`;
}

export function holderOrToken(how: string, { holders, tokens, isStarting }: ConsistentLock): string {
  if (holders.length > 0)
    return `${how} ${holders.map(({ label }) => label).join(' and ')}${isStarting ? ', being started' : ''}`;
  if (isStarting) return 'free, being started';
  if (tokens === null) return 'free';
  const places = tokens.map((token) =>
    'at' in token ? `at ${token.at.label}` : `on its way from ${token.from.label} to ${token.to.label}`,
  );
  return `free, the token ${places.join(' and ') || 'nowhere'}`;
}

type Waiters = Inspection['locks'][number]['waiters'];

const held = (how: string, holder: Waiters[number] | null) =>
  holder === null ? 'nobody says to hold it' : `${how} ${holder.label} for ${elapsedText(holder.since)}`;

const waiting = (waiters: Waiters) =>
  waiters.length === 0
    ? ''
    : `then ${waiters.map(({ label, since }) => `${label} (${elapsedText(since)})`).join(', ')}`;

/** Returns a line about clocks whose offset exceeds its error, if there are any. */
function clocks({ members, clocksBy }: Inspection): string[] {
  const known = members.flatMap(({ label, clock }) => (clock === null ? [] : [{ label, ...clock }]));
  const off = known.filter(({ offsetMs, errorMs }) => Math.abs(offsetMs) > errorMs);
  if (off.length === 0) return [];
  const shown = off.map(
    ({ label, offsetMs, errorMs }) => `${label} ${signed(offsetMs)} ms ±${errorMs.toFixed(1)}`,
  );
  return [`  clocks beside that of ${clocksBy!.label}: ${shown.join(', ')}`];
}

const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(1)}`;

const warning = ({ slower, faster, ratePpm, eaten }: Inspection['skews'][number]) =>
  `  warning: the clock of ${slower.label} is at least ${(ratePpm / 1e4).toFixed(1)} % slower than that of ${faster.label}, which eats ${(eaten * 100).toFixed(0)} % of the margin of leases`;
