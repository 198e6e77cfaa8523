import { existsSync, readFileSync } from 'node:fs';
import ts from '@ts-morph/common/dist/typescript.js';
import { describe, expect, test } from 'vitest';
import { algorithms, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { type EitherAlgorithm, isMutant, listed, resolve } from '../../src/catalogue/index.ts';
import { sourceFilesOf } from '../../src/catalogue/source-files.ts';
import type { TraceInput } from '../../src/core/trace.ts';
import { handlerLines, namesOf } from '../../src/lab/panels/handler-lines.ts';

type Handlers = Readonly<Record<string, unknown>>;

const recv = (type: string): TraceInput => ({ kind: 'recv', serial: 0, message: { type }, from: 0 });
const call = (name: string): TraceInput => ({ kind: 'call', name });
const each = algorithms.map((algorithm) => [algorithm.name, algorithm] as const);
const all = listed.map((algorithm) => [algorithm.name, algorithm] as const);

/** Returns the files that the lab shows for an algorithm, and finds lines in them. */
function shown(algorithm: EitherAlgorithm) {
  const files = sourceFilesOf(algorithm, (path) => existsSync(`src/${path}`));
  const sources = files.map((path) => readFileSync(`src/${path}`, 'utf8').trimEnd().split('\n'));
  const find = (input: TraceInput) => handlerLines(sources, namesOf(algorithm), input);
  return { files, sources, find };
}

/** Returns the handlers of an algorithm, each with an input that runs it. */
function handlersOf(algorithm: EitherAlgorithm): [table: string, name: string, input: TraceInput][] {
  const {
    calls = {},
    on = {},
    begin,
    recover,
  } = algorithm as unknown as Record<string, Handlers | undefined>;
  return [
    ...Object.keys(calls).map((name): [string, string, TraceInput] => ['calls', name, call(name)]),
    ...Object.keys(on).map((name): [string, string, TraceInput] => ['on', name, recv(name)]),
    ...(begin ? [['', 'begin', { kind: 'begin' }] as [string, string, TraceInput]] : []),
    ...(recover ? [['', 'recover', { kind: 'restart' }] as [string, string, TraceInput]] : []),
  ];
}

/** Returns the names of all algorithms whose object literals enclose a line, by the parser of the compiler. */
function namesAround(source: readonly string[], line: number): string[] {
  const file = ts.createSourceFile('text.ts', source.join('\n'), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (line < lineOf(node.getStart()) || line > lineOf(node.getEnd())) return;
    if (ts.isObjectLiteralExpression(node))
      for (const property of node.properties)
        if (ts.isPropertyAssignment(property) && property.name.getText() === 'name')
          if (ts.isStringLiteral(property.initializer)) names.push(property.initializer.text);
    node.forEachChild(visit);
  };
  visit(file);
  return names;
}

const handlerIn = (algorithm: EitherAlgorithm, table: string, name: string): unknown => {
  const fields = algorithm as unknown as Record<string, Handlers | undefined>;
  return table === '' ? fields[name] : fields[table]?.[name];
};

describe('the lines of a handler', () => {
  test.each(all)('%s: lie inside its own object, or in that of an algorithm it builds on', (_, algorithm) => {
    const { sources, find } = shown(algorithm);
    const { program } = algorithm as { program?: (facts: object) => object };
    const steps = Object.keys(program?.({ me: 0, n: 2 }) ?? {}).map(
      (line): TraceInput => ({ kind: 'step', line }),
    );
    for (const input of [...handlersOf(algorithm).map(([, , one]) => one), ...steps]) {
      const found = find(input);
      if (found === null) continue;
      const around = namesAround(sources[found.file]!, found.first);
      const others = around.filter((one) => !buildsOn(algorithm, one));
      expect(others, JSON.stringify(input)).toEqual([]);
    }
  });

  test.each(all.filter(([, algorithm]) => isMutant(algorithm)))(
    '%s: shows an inherited handler where the original shows it',
    (name, mutant) => {
      if (!isMutant(mutant) || name.includes('+')) return;
      const original = resolve(mutant.of);
      const { files, find } = shown(mutant);
      const inOriginal = shown(original);
      for (const [table, handler, input] of handlersOf(mutant)) {
        const found = find(input);
        if (handlerIn(mutant, table, handler) === handlerIn(original, table, handler)) {
          const expected = inOriginal.find(input);
          expect(found && { ...found, file: files[found.file] }, handler).toEqual(
            expected && { ...expected, file: inOriginal.files[expected.file] },
          );
        }
      }
    },
  );

  test.each(each)('%s: finds every handler', (_, algorithm) => {
    const { find } = shown(algorithm);
    for (const [, name, input] of handlersOf(algorithm)) expect(find(input), name).not.toBe(null);
  });

  test.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: finds every line of the program, and where a call begins',
    (_, algorithm) => {
      const { sources, find } = shown(algorithm);
      for (const line of Object.keys(algorithm.program({ me: 0, n: 2 }))) {
        const { file, first } = find({ kind: 'step', line })!;
        const text = sources[file]![first]!.trim();
        expect(text.startsWith(`'${line}': {`) || text.startsWith(`${line}: {`), text).toBe(true);
      }
      const { file, first, last } = find(call('release'))!;
      expect(sources[file]!.slice(first, last + 1)).toEqual([
        expect.stringMatching(new RegExp(`^ +release: '${algorithm.release.replace(/\W/g, '\\$&')}',$`)),
      ]);
    },
  );

  test('with several programs in one text, finds only lines of the named one', () => {
    const at = (name: string, line: string) => {
      const { files, find } = shown(resolve(name));
      const found = find({ kind: 'step', line });
      return found && `${files[found.file]}:${found.first}`;
    };
    const waits = 'L: if c[j] = 0';
    const found = ['dekker-looks-first', 'dekker-insists', 'dekker-after-you'].map((name) => at(name, waits));
    expect(new Set(found).size).toBe(3);
    for (const line of ['A: c[i] := 0', 'c[i] := 1']) {
      expect(at('dekker-insists', line)).toBe(at('dekker', line));
      expect(at('dekker-insists', line)).toContain('algorithms/shared/dekker.ts');
    }
  });

  test('a mutant’s request is the original’s if only another mutant of the same text changes it', () => {
    const { files, find } = shown(resolve('ricart-agrawala-no-tie-break'));
    expect(files[find(call('request'))!.file]).toBe('algorithms/mutex/ricart-agrawala.ts');
    expect(files[find(recv('request'))!.file]).toBe('mutants/ricart-agrawala.ts');
  });

  test('range from its first line to its last', () => {
    const { sources, find } = shown(ricartAgrawala);
    const { file, first, last } = find(recv('reply'))!;
    expect(sources[file]!.slice(first, last + 1).join('\n')).toMatch(
      /^ {4}reply\(s, p\) \{[\s\S]*\n {4}\},$/,
    );
    expect(find({ kind: 'crash' })).toBe(null);
  });
});

/** Whether an algorithm is, or takes handlers from, the named one. */
function buildsOn(algorithm: EitherAlgorithm, name: string): boolean {
  if (namesOf(algorithm).includes(name)) return true;
  const other = resolve(name);
  return handlersOf(other).some(
    ([table, handler]) => handlerIn(other, table, handler) === handlerIn(algorithm, table, handler),
  );
}
