// docs/sources.md has a row for each section and slide of the sources. Its commands run, and its rows are complete.
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { read, rowsOf } from './pages/page.ts';

const page = read('docs/sources.md');
const rows = rowsOf(page).filter(([first]) => !['section', 'slide', 'part', '---'].includes(first!));

interface SourceCommand {
  readonly text: string;
  readonly isViolated: boolean;
}

const commands = rows.flatMap((cells): SourceCommand[] => {
  const [, text, rest] = /^`(baton [^`]*)`(.*)$/.exec(cells.at(-1) ?? '') ?? [];
  return text === undefined ? [] : [{ text, isViolated: rest!.includes('(violated)') }];
});

const results = new Map<string, { readonly status: number; readonly printed: string }>();

beforeAll(() => {
  const { stdout, stderr } = spawnSync(process.execPath, ['test/pages/commands.js'], {
    input: JSON.stringify(commands.map(({ text }) => text.split(' ').slice(1))),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe('');
  const ended = JSON.parse(stdout) as { status: number; printed: string }[];
  for (const [k, { text }] of commands.entries()) results.set(text, ended[k]!);
});

describe('docs/sources.md', () => {
  test.each(commands.map(({ text, isViolated }) => [text, isViolated] as const))('%s', (text, isViolated) => {
    const { status, printed } = results.get(text)!;
    expect(status, printed).toBe(isViolated ? 1 : 0);
  });

  test('each row has a command, or says why there is none', () => {
    const without = rows.filter((cells) => !cells.at(-1)!.startsWith('`baton'));
    for (const cells of without) expect(cells.join(' '), cells[1]!).toMatch(/not here|no algorithm|a test/);
  });

  test('every source has its sections', () => {
    const [raynal, slides, lecture, network, ring] = page.split(/^## /m).slice(1);
    for (const section of ['3.4', '4.2', '5.1', '5.2', '5.3', '5.4', '5.5.1', '5.5.2', '5.5.3'])
      expect(raynal).toContain(`| ${section} `);
    for (const slide of [
      '3.1.2.1',
      '3.1.3.2',
      '3.1.3.5',
      'Token ring',
      'Bully: basic steps',
      'steps 0 to 11',
    ])
      expect(slides).toContain(slide);
    expect(lecture).toContain('Example 4.21');
    for (const section of ['2.1', '2.2', '5.1 to 5.5', '6', '7']) expect(network).toContain(`| ${section} |`);
    for (const section of ['1', '2', '3']) expect(ring).toContain(`| ${section} |`);
  });
});
