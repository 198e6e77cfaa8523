import { median } from '../results.js';

/** A section of the results of the lock benchmark. */
export interface Part {
  readonly lines: readonly string[];
  readonly pictures?: Readonly<Record<string, string>>; // by the name of the file that the lines link to
  readonly isGood: boolean;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(heads),
  row(heads.map(() => '---')),
  ...rows.map(row),
];

/** Rounds to three significant digits, with separators for thousands. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return '';
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 6 });
}

export const medianAndLongest = (values: readonly number[]): string =>
  `${significant(median(values))} (${significant(Math.max(...values))})`;

export interface Target {
  readonly line: string;
  readonly isMet: boolean;
}

export const atLeast = (what: string, value: number, least: number): Target =>
  targetOf(what, value, `at least ${significant(least)}`, value >= least);

export const atMost = (what: string, value: number, most: number): Target =>
  targetOf(what, value, `at most ${significant(most)}`, value <= most);

/** A target without a measurement counts as not met. */
const targetOf = (what: string, value: number, wanted: string, isMet: boolean): Target => ({
  line: `- ${isMet ? 'met' : 'NOT MET'}: ${what}: ${significant(value) || 'not measured'} (${wanted})`,
  isMet,
});
