import { groups, type Inspection, look } from '../cluster/index.ts';
import { ago } from './ago.ts';
import { defaultGroup, type PlaceFlags, placeFrom } from './place.ts';
import { table } from './table.ts';

export interface StatusOptions extends PlaceFlags {
  readonly group?: string;
  readonly json?: boolean;
}

/** Looks from outside, without joining: the groups are as they were before. */
export async function statusCommand({ json, ...options }: StatusOptions): Promise<number> {
  const place = placeFrom(options);
  const group = options.group ?? (place.engine === undefined ? undefined : defaultGroup);
  const names = group === undefined ? groups() : [group];
  const found = (await Promise.all(names.map((name) => look(name, place)))).filter((one) => one !== null);
  if (json) console.log(JSON.stringify(group === undefined ? found : (found[0] ?? nobody(group)), null, 2));
  else if (found.length === 0)
    console.log(
      group === undefined ? 'no group on this machine has members' : `nobody is in group '${group}'`,
    );
  else console.log(found.map(shown).join('\n'));
  return 0;
}

const nobody = (group: string): Inspection => ({
  ...{ group, epoch: 0, members: [], locks: [], elections: [] },
  ...{ clocksBy: null, skews: [] },
});

function shown(inspection: Inspection): string {
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

type Turns = Inspection['locks'][number]['waiters'];

const held = (how: string, turn: Turns[number] | null) =>
  turn === null ? 'nobody says to hold it' : `${how} ${turn.label} for ${ago(turn.since)}`;

const waiting = (turns: Turns) =>
  turns.length === 0 ? '' : `then ${turns.map(({ label, since }) => `${label} (${ago(since)})`).join(', ')}`;

/** Those that differ for certain, if any do. */
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
