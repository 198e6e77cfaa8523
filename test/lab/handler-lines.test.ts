import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { handlerLines } from '../../src/lab/panels/handler-lines.ts';

const each = algorithms.map((algorithm) => [algorithm.name, algorithm] as const);

function sourceOf(
  { problem, name }: Pick<AnyAlgorithm, 'problem' | 'name'>,
  folder: string = problem,
): string[] {
  const parts = name.split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    const path = `src/algorithms/${folder}/${parts.slice(0, length).join('-')}.ts`;
    if (existsSync(path)) return readFileSync(path, 'utf8').trimEnd().split('\n');
  }
  throw new Error(name);
}

describe('the lines of a handler', () => {
  test.each(each)('%s: finds every handler', (name, algorithm) => {
    const source = sourceOf(algorithm);
    const inherits = source.some((line) => /^ {2}\.\.\.\w+,$/.test(line));
    for (const call of Object.keys(algorithm.calls)) {
      const lines = handlerLines(source, name, { kind: 'call', name: call });
      if (!inherits) expect(lines, call).not.toBe(null);
    }
    for (const kind of Object.keys(algorithm.on)) {
      const lines = handlerLines(source, name, { kind: 'recv', serial: 0, message: { type: kind }, from: 0 });
      if (inherits && lines === null) continue;
      expect(lines, kind).not.toBe(null);
    }
  });

  test.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: finds every line of the program, and where a call begins',
    (name, algorithm) => {
      const source = sourceOf(algorithm, 'shared');
      for (const line of Object.keys(algorithm.program({ me: 0, n: 2 }))) {
        const lines = handlerLines(source, name, { kind: 'step', line })!;
        expect(source[lines.first]).toContain(`'${line}': {`);
      }
      const { first, last } = handlerLines(source, name, { kind: 'call', name: 'release' })!;
      expect(source.slice(first, last + 1)).toEqual([`  release: '${algorithm.release}',`]);
    },
  );

  test('with several programs in one text, finds only lines of the named one', () => {
    const source = readFileSync('src/mutants/dekker.ts', 'utf8').split('\n');
    const at = (name: string, line: string) =>
      handlerLines(source, name, { kind: 'step', line })?.first ?? null;
    const waits = 'L: if c[j] = 0';
    const found = ['dekker-looks-first', 'dekker-insists', 'dekker-after-you'].map((name) => at(name, waits));
    expect(new Set(found).size).toBe(3);
    expect(at('dekker-insists', 'A: c[i] := 0')).toBe(null);
    expect(at('dekker-insists', 'c[i] := 1')).toBe(null);
  });

  test('range from its first line to its last', () => {
    const source = sourceOf(ricartAgrawala);
    const { first, last } = handlerLines(source, 'ricart-agrawala', {
      kind: 'recv',
      serial: 0,
      message: { type: 'reply' },
      from: 0,
    })!;
    expect(source.slice(first, last + 1).join('\n')).toMatch(/^ {4}reply\(s, p\) \{[\s\S]*\n {4}\},$/);
    expect(handlerLines(source, 'ricart-agrawala', { kind: 'crash' })).toBe(null);
  });
});
