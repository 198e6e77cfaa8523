import type { Verdict, Violation } from './history.ts';
import type { Resources } from './resource.ts';

export interface Outcome {
  readonly name: string;
  readonly title: string;
  readonly ground: string;
  readonly seconds: number;
  readonly seed: number; // of the first round; the others follow
  readonly rounds: number;
  readonly members: number;
  readonly leaseMs: number;
  /** How long members waited for a lock after everything had been healed, and after how many rounds that was more than two leases. */
  readonly service: { readonly slowestMs: number; readonly late: number };
  readonly injected: Readonly<Record<string, number>>;
  readonly leftOut: readonly string[];
  readonly failures: Readonly<Record<string, number>>;
  readonly crashes: number; // processes that ended by themselves
  readonly foreignErrors: number; // errors of the library that are not of its class
  readonly resource: Resources['sums'];
  readonly verdict: Verdict;
  readonly violations: readonly FirstViolation[];
}

/** The first violation of a promise in a round. */
export interface FirstViolation extends Pick<Violation, 'promise' | 'what'> {
  readonly seed: number; // of the round
  readonly second: number; // since the run began
}

export const isOurs = ({ title }: Pick<Outcome, 'title'>): boolean => title.startsWith('baton');

/** Returns the promises of Baton that a run has broken. They must hold under all faults. */
export function complaints({ resource, verdict, service, crashes, foreignErrors }: Outcome): string[] {
  return [
    resource.fencedLost > 0 ? `${resource.fencedLost} updates lost with the fence` : '',
    verdict.fencesBack > 0 ? `${verdict.fencesBack} fences did not rise` : '',
    verdict.overlaps > 0 ? `${verdict.overlaps} times two held a lock` : '',
    service.late > 0 ? `${service.late} times a member waited more than two leases after healing` : '',
    crashes > 0 ? `${crashes} processes ended by themselves` : '',
    foreignErrors > 0 ? `${foreignErrors} errors were not BatonErrors` : '',
  ].filter((text) => text !== '');
}

const figure = (value: number): string => Math.round(value).toLocaleString('en');

const heads = [
  ...['', 'on', 'time', 'faults', 'acquired', 'lost', 'two held (after lost data)', 'fences back'],
  ...['updates lost with the fence, of', 'refused', 'updates lost without, of', 'slowest service, s'],
  ...['wait p50, ms', 'p99', 'longest'],
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  ', '| ');

export function summary(outcomes: readonly Outcome[]): string[] {
  return [row(heads), row(heads.map(() => '---')), ...outcomes.map((one) => row(cellsOf(one)))];
}

function cellsOf(one: Outcome): string[] {
  const { verdict, resource, injected, seconds } = one;
  const faults = Object.values(injected).reduce((sum, count) => sum + count, 0);
  return [
    one.title,
    one.ground,
    seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`,
    figure(faults),
    figure(verdict.holds),
    figure(verdict.lost),
    `${verdict.overlaps} (${verdict.overlapsExcused})`,
    isOurs(one) ? `${verdict.fencesBack}` : 'has none',
    isOurs(one) ? `${resource.fencedLost} of ${figure(resource.fencedWrites)}` : '',
    isOurs(one) ? figure(resource.refused) : '',
    `${resource.plainLost} of ${figure(resource.plainWrites)}`,
    (one.service.slowestMs / 1000).toFixed(1),
    figure(verdict.waitMs.p50),
    figure(verdict.waitMs.p99),
    figure(verdict.waitMs.longest),
  ];
}

/** Returns the table of what was injected. */
export function injections(outcomes: readonly Outcome[]): string[] {
  const kinds = [...new Set(outcomes.flatMap(({ injected }) => Object.keys(injected)))].sort();
  return [
    row(['', ...outcomes.map(({ title }) => title)]),
    row(['---', ...outcomes.map(() => '---')]),
    ...kinds.map((kind) => row([kind, ...outcomes.map(({ injected }) => `${injected[kind] ?? 0}`)])),
  ];
}
