import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Returns the median: for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

const path = fileURLToPath(new URL('../../bench/RESULTS.md', import.meta.url));

/** Returns the lines of one section of RESULTS.md; none if it is missing. */
export function sectionOf(section: string): readonly string[] {
  const [, rest = ''] = readFileSync(path, 'utf8').split(`## ${section}\n`);
  return rest.split('\n## ')[0]!.split('\n');
}

/** Replaces the figures of one section of RESULTS.md. */
export function write(section: string, lines: readonly string[]): void {
  const text = readFileSync(path, 'utf8');
  const heading = `## ${section}\n\n`;
  const start = text.indexOf(heading);
  const before = start < 0 ? `${text}\n` : text.slice(0, start);
  const next = start < 0 ? -1 : text.indexOf('\n## ', start);
  writeFileSync(path, `${before}${heading}${lines.join('\n')}\n${next < 0 ? '' : text.slice(next)}`);
}
