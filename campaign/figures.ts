// The published figures: one outcome for each contender. A run replaces the rows that it has measured.
import { readFileSync, writeFileSync } from 'node:fs';
import { contenders } from './contenders/index.ts';
import { injections, type Outcome, summary } from './report.ts';

const figuresFile = 'campaign/figures.json';
const page = 'docs/campaign.md';
const [begin, end] = ['<!-- figures -->', '<!-- end of figures -->'];

/** How long a published run of a contender takes. */
export const publishedSeconds = (name: string): number => (name === 'embedded' ? 3600 : 1200);

export const readFigures = (): Outcome[] => JSON.parse(readFileSync(figuresFile, 'utf8'));

/** Returns the figures with the measured rows in place of older ones, in the order of the contenders. */
export function merged(figures: readonly Outcome[], measured: readonly Outcome[]): Outcome[] {
  const rows = new Map([...figures, ...measured].map((one) => [one.name, one]));
  return Object.keys(contenders).flatMap((name) => rows.get(name) ?? []);
}

/** Returns the page with these figures in it. */
export function withFigures(text: string, figures: readonly Outcome[]): string {
  const [head, rest] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  const settings = figures.map(
    ({ members, leaseMs, seed }) => `${members} members, leases of ${leaseMs} ms, seeds from ${seed} on`,
  );
  const leftOut = figures.flatMap((one) => one.leftOut.map((sentence) => `${one.title}: ${sentence}`));
  const lines = [
    ...['', `${[...new Set(settings)].join('; ')}.`, ''],
    ...summary(figures),
    ...leftOut.flatMap((sentence) => ['', sentence]),
    ...['', 'Faults injected:', ''],
    ...injections(figures),
    '',
  ];
  return `${head}\n${lines.join('\n')}${rest}`;
}

export function publish(measured: readonly Outcome[]): void {
  const figures = merged(
    readFigures(),
    measured.map((one) => ({ ...one, failures: {} })), // messages with paths of this machine
  );
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 2)}\n`);
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), figures));
}
