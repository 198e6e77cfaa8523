// The examples of doc comments: each becomes a program, which is compiled as a user's would be, and run.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import type { ApiPage, Doc } from '../../scripts/api/model.js';

/** Some file systems do not tell `Check` from `check`: capitals are marked. */
const fileNameOf = (symbol: string) => symbol.replace(/[^\w.]/g, '').replace(/[A-Z]/g, '_$&');

/** An example, and the symbol whose doc comment has it. */
export interface Example {
  readonly symbol: string;
  readonly code: string;
  /** The name of its program. */
  readonly file: string;
}

export function examplesOf(pages: readonly ApiPage[]): Example[] {
  const docs = pages.flatMap(({ entries }) =>
    entries.flatMap(({ name, doc, members }): [string, Doc][] => [
      [name, doc],
      ...members.map((member): [string, Doc] => [`${name}.${member.name}`, member.doc]),
    ]),
  );
  return docs.flatMap(([symbol, { examples }]) =>
    examples.map((code, k) => ({ symbol, code, file: `${fileNameOf(symbol)}-${k + 1}` })),
  );
}

const folder = 'build/api-examples';
const mark = '// →';

/**
 * Returns the program of an example. `value; // → claim` claims that a value equals another one: the program asserts it. The value may be
 * that of a constant, or what is printed.
 */
export function programOf({ symbol, code }: Example): string {
  const file = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ESNext, true);
  const edits: { start: number; end: number; claim: string }[] = [];
  const visit = (node: ts.Node): void => {
    const comments = ts.isStatement(node) ? (ts.getTrailingCommentRanges(code, node.end) ?? []) : [];
    for (const comment of comments) {
      const text = code.slice(comment.pos, comment.end);
      const value = text.startsWith(mark) ? claimedExpression(node) : undefined;
      if (value !== undefined)
        edits.push({ start: value.getStart(), end: value.end, claim: text.slice(mark.length).trim() });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  if (edits.length !== code.split(mark).length - 1)
    throw new Error(`${symbol}: \`${mark} value\` follows an expression, console.log(…) or a constant.`);
  let program = code;
  for (const { start, end, claim } of edits.toSorted((a, b) => b.start - a.start))
    program = `${program.slice(0, start)}claimed(${program.slice(start, end)}, ${claim})${program.slice(end)}`;
  return `import { claimed } from './claimed.ts';\n${program}\nvoid claimed;\nexport {};\n`;
}

function claimedExpression(statement: ts.Node): ts.Expression | undefined {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]?.initializer;
  if (!ts.isExpressionStatement(statement)) return undefined;
  const { expression } = statement;
  const isPrinted = ts.isCallExpression(expression) && expression.expression.getText() === 'console.log';
  return isPrinted ? expression.arguments[0] : expression;
}

const claimed = `import { deepStrictEqual } from 'node:assert';
export function claimed<T>(value: T, claim: unknown): T {
  deepStrictEqual(value, claim);
  return value;
}
`;

/** Compiles all programs. Returns the compiler's complaints. */
export function compile(examples: readonly Example[]): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const example of examples) writeFileSync(join(folder, `${example.file}.ts`), programOf(example));
  writeFileSync(join(folder, 'claimed.ts'), claimed);
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ESNext'], module: 'nodenext', types: ['node'], strict: true },
    ...{ skipLibCheck: true, rewriteRelativeImportExtensions: true, outDir: 'out', rootDir: '.' },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const { stdout } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', folder, '--pretty', 'false'],
    { encoding: 'utf8' },
  );
  return stdout.split('\n').filter((line) => line !== '');
}

/** Runs all programs, one after the other in one process. Returns why each that failed did. */
export function run(examples: readonly Example[]): string[] {
  const files = examples.map(({ file }) => `${process.cwd()}/${folder}/out/${file}.js`);
  const output = execFileSync(process.execPath, ['test/api/run-examples.js'], {
    input: JSON.stringify(files),
    encoding: 'utf8',
  });
  const failures = JSON.parse(output) as (string | null)[];
  return failures.flatMap((why, k) => (why === null ? [] : [`${examples[k]!.symbol}: ${why}`]));
}
