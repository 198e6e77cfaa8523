// The API reference agrees with the declarations in dist/, and the doc comments are complete. Every example compiles and runs.
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiEntry, type ApiPage, type Doc, readApi } from '../scripts/api/model.js';
import { renderApi } from '../scripts/api/render.js';
import { apiPages, writeApi } from '../scripts/api.js';
import { compile, type Example, examplesOf, programOf, run } from './api/examples.ts';

let pages: ApiPage[];
let entries: readonly ApiEntry[];
let examples: Example[];
beforeAll(async () => {
  pages = await readApi(process.cwd());
  entries = pages.flatMap((page) => page.entries);
  examples = examplesOf(pages);
});

/** The members of all exports, with their full names. */
const members = () =>
  entries.flatMap((entry) =>
    entry.members.map((member) => ({
      ...{ entry, member, symbol: `${entry.name}.${member.name}`, doc: member.doc },
      at: `${entry.name}.${member.name} (${entry.source})`,
    })),
  );
const at = ({ name, source }: ApiEntry) => `${name} (${source})`;
/** Fails with one line for each offender. */
const expectNone = (offenders: readonly string[], fix: string) =>
  expect(offenders.join('\n'), `${fix}:\n${offenders.join('\n')}\n`).toBe('');
const docs = (): { at: string; doc: Doc }[] => [
  ...entries.map((entry) => ({ at: at(entry), doc: entry.doc })),
  ...members(),
];

test('the committed pages are those of the doc comments', async () => {
  const fresh = await apiPages();
  if (process.env.BATON_REWRITE === '1') writeApi(fresh);
  const stale = [...fresh].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  const paths = stale.map(([path]) => path);
  expectNone(paths, 'These pages are out of date. Run `npm run api`, and commit them');
});

describe('a link', () => {
  /** Renders one constant with this doc comment. */
  const rendered = (text: string) => {
    const entry = {
      ...entries.find(({ name }) => name === 'fenceTable')!,
      doc: { ...entries[0]!.doc, text },
    };
    const page = { subpath: 'batonjs/fences', file: 'fences.md', entries: [entry], elsewhere: [] };
    const [first, ...rest] = pages.filter(({ subpath }) => subpath !== page.subpath);
    return renderApi(process.cwd(), [first!, ...rest, page]).get('docs/reference/api/fences.md');
  };

  test('leads to an export, a member or a page', () => {
    expect(rendered('See {@link Lock}.')).toContain('See [`Lock`](batonjs.md#lock-class).');
    expect(rendered('See {@link Lock.release}.')).toContain('[`Lock.release`](batonjs.md#lockrelease)');
    expect(rendered('See [fences](docs/fences.md#redis).')).toContain('(../../fences.md#redis)');
  });

  test('without a target is refused, with the symbol that has it', () => {
    expect(() => rendered('See {@link Lokc}.')).toThrow('fenceTable: {@link Lokc} names no export');
    expect(() => rendered('See {@link Lock.let}.')).toThrow('fenceTable: {@link Lock.let} names no export');
    expect(() => rendered('[x](docs/fenecs.md)')).toThrow(
      'fenceTable: the link to docs/fenecs.md has no target.',
    );
    expect(() => rendered('[x](docs/fences.md#rdeis)')).toThrow('docs/fences.md has no such heading');
  });
});

describe('doc comments', () => {
  test('every export has one', () => {
    const silent = entries.filter(({ doc }) => doc.text === '');
    expectNone(silent.map(at), 'Add a doc comment to these exports');
  });

  test('every method, every optional property and every option has one', () => {
    const needing = members().filter(
      ({ entry, member: { kind, isOptional } }) =>
        kind === 'method' || (kind === 'property' && (isOptional || entry.isOptions)),
    );
    const silent = needing.filter(({ doc }) => doc.text === '');
    expectNone(
      silent.map((one) => one.at),
      'Add a doc comment to these members',
    );
  });

  test('every option that may be left out has "Defaults to …" or @defaultValue', () => {
    const options = members().filter(({ entry, member }) => entry.isOptions && member.isOptional);
    const silent = options.filter(({ doc }) => doc.defaultValue === '' && !/\bDefaults to\b/.test(doc.text));
    expectNone(
      silent.map((one) => one.at),
      'Say the default of these options, as in "Defaults to 5000."',
    );
  });

  test('every function and every class has an example', () => {
    const callable = entries.filter(({ kind }) => kind === 'function' || kind === 'class');
    const silent = callable.filter(({ doc }) => doc.examples.length === 0);
    expectNone(silent.map(at), 'Add an @example to these functions and classes');
  });

  test('an example of a class, or of the method, calls each method of the class', () => {
    const uncalled = members().filter(({ entry, member: { kind, name }, doc }) => {
      if (entry.kind !== 'class' || kind !== 'method' || name.startsWith('[')) return false;
      const calls = new RegExp(`\\.${name}(<[^>]*>)?\\(`);
      return ![...entry.doc.examples, ...doc.examples].some((code) => calls.test(code));
    });
    expectNone(
      uncalled.map((one) => one.at),
      'Call these methods in an @example, theirs or that of their class',
    );
  });

  test('@throws names the class of the error, and for a BatonError its codes', () => {
    const { signature } = entries.find(({ name }) => name === 'ErrorCode')!;
    const codes = new Set([...signature.matchAll(/'(\w+)'/g)].map(([, code]) => code!));
    const wrong = docs().flatMap(({ at: where, doc }) =>
      doc.throws.flatMap(({ type, text }) => {
        const [, listed = ''] = /^((?:`\w+`(?:, | or )?)+)/.exec(text) ?? [];
        const named = [...listed.matchAll(/`(\w+)`/g)].map(([, code]) => code!);
        const isRight =
          type === 'BatonError' ? named.length > 0 && named.every((code) => codes.has(code)) : type !== '';
        return isRight ? [] : [`${where}: @throws {${type}} ${text}`];
      }),
    );
    expectNone(wrong, 'Write @throws {BatonError} `timeout` when …, with codes of ErrorCode');
  });

  test('@param names a parameter', () => {
    const wrong = [
      ...entries.map((entry) => ({ at: at(entry), signature: entry.signature, doc: entry.doc })),
      ...members().map((one) => ({ ...one, signature: one.member.signature || one.member.type })),
    ].flatMap(({ at: where, signature, doc }) =>
      doc.params
        .filter(({ name }) => !new RegExp(`\\b${name.split('.')[0]}\\b`).test(signature))
        .map(({ name }) => `${where}: @param ${name}`),
    );
    expectNone(wrong, 'These tags name no parameter');
  });
});

describe('examples', () => {
  let complaints: readonly string[];
  beforeAll(() => {
    complaints = compile(examples);
  });

  test('compile', () => {
    expectNone(complaints, 'These examples do not compile');
  });

  test('run, and end by themselves', () => {
    expectNone(run(examples), 'These examples fail');
  });

  test('a claim becomes an assertion, wherever its value stands', () => {
    const program = (code: string) => programOf({ symbol: 'x', file: 'x', code });
    expect(program('1 + 1; // → 2')).toContain('claimed(1 + 1, 2);');
    expect(program('const two = 1 + 1; // → 2')).toContain('const two = claimed(1 + 1, 2);');
    expect(program('console.log(await two()); // → 2')).toContain('console.log(claimed(await two(), 2));');
    expect(program('f(\n  1,\n); // → 2')).toContain('claimed(f(\n  1,\n), 2);');
    expect(() => program('if (true) { // → 2\n}')).toThrow('x: `// → value` follows');
  });
});
