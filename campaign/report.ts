import { readFileSync, writeFileSync } from 'node:fs';
import type { Span, Verdict } from './history.ts';
import type { Resources } from './resource.ts';

export interface Outcome {
  readonly name: string;
  readonly title: string;
  readonly ground: string;
  readonly seconds: number;
  readonly seed: number;
  readonly members: number;
  readonly leaseMs: number;
  readonly isServed: boolean; // every member got a lock after all faults had ended
  readonly servedMs: number;
  readonly injected: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  readonly resource: Resources['sums'];
  readonly verdict: Verdict;
  readonly excuses: readonly Span[]; // spans in which the engine had lost its data
  readonly history: readonly string[];
}

export const isOurs = ({ title }: Outcome): boolean => title.startsWith('baton');

/** Returns the promises of Baton that a run has broken. They must hold under all faults. */
export function complaints({ resource, verdict, isServed }: Outcome): string[] {
  return [
    resource.fencedLost > 0 ? `${resource.fencedLost} updates lost with the fence` : '',
    verdict.fencesBack > 0 ? `${verdict.fencesBack} fences did not rise` : '',
    verdict.overlaps > 0 ? `${verdict.overlaps} times two held a lock` : '',
    isServed ? '' : 'not everybody was served after all was mended',
  ].filter((text) => text !== '');
}

const figure = (value: number): string => Math.round(value).toLocaleString('en');

export function summary(outcomes: readonly Outcome[]): string[] {
  return [
    '| | on | seconds | faults | acquired | lost | two held (engine had forgotten) | updates lost with the fence, of | refused | updates lost without, of | served again after, s | wait p50, ms | p99 | longest |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...outcomes.map((one) => {
      const { verdict, resource, injected } = one;
      const faults = Object.values(injected).reduce((sum, count) => sum + count, 0);
      const cells = [
        one.title,
        one.ground,
        `${one.seconds}`,
        figure(faults),
        figure(verdict.holds),
        figure(verdict.lost),
        `${verdict.overlaps} (${verdict.overlapsExcused})`,
        isOurs(one) ? `${resource.fencedLost} of ${figure(resource.fencedWrites)}` : 'has none',
        isOurs(one) ? figure(resource.refused) : '',
        `${resource.plainLost} of ${figure(resource.plainWrites)}`,
        one.isServed ? (one.servedMs / 1000).toFixed(1) : 'not within a minute',
        figure(verdict.waitMs.p50),
        figure(verdict.waitMs.p99),
        figure(verdict.waitMs.longest),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

const page = 'docs/campaign.md';
const [begin, end] = ['<!-- figures -->', '<!-- end of figures -->'];

export function writeSummary(outcomes: readonly Outcome[]): void {
  const text = readFileSync(page, 'utf8');
  const [head, rest] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  const kinds = [...new Set(outcomes.flatMap(({ injected }) => Object.keys(injected)))].sort();
  const table = [
    `| | ${kinds.join(' | ')} |`,
    `| ${[...kinds, ''].map(() => '---').join(' | ')} |`,
    ...outcomes.map(
      ({ title, injected }) => `| ${title} | ${kinds.map((kind) => injected[kind] ?? 0).join(' | ')} |`,
    ),
  ];
  const [{ members, leaseMs, seed }] = outcomes as [Outcome];
  const lines = [
    '',
    `${members} members, leases of ${leaseMs} ms, seed ${seed}.`,
    '',
    ...summary(outcomes),
    '',
    'What was injected:',
    '',
    ...table,
    '',
  ];
  writeFileSync(page, `${head}\n${lines.join('\n')}${rest}`);
}
