// Reads the public interface of both packages from their declarations. The types are in model.d.ts.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Declarations } from './declarations.js';

// TypeScript 7 has no compiler API. The playground of the lab brings one of TypeScript 6.
const { ts } = createRequire(import.meta.url)('@ts-morph/common');

export async function readApi(root) {
  const subpaths = ['batonjs', 'batonjs-lab'].flatMap((name) => subpathsOf(join(root, 'packages', name)));
  const program = ts.createProgram(
    subpaths.map(({ types }) => types),
    {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.NodeNext,
      lib: ['lib.esnext.d.ts'],
      types: ['node'],
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  const homes = homesOf(program, checker, subpaths);
  const declarations = new Declarations(
    ts,
    checker,
    new Map([...homes].map(([symbol, { name }]) => [symbol, name])),
  );
  const entries = new Map();
  for (const [symbol, home] of homes) {
    const entry = declarations.entryOf(symbol, home.name);
    const file = symbol.declarations[0].getSourceFile().fileName;
    const source = file.replace(/^.*\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts');
    const values = entry.kind === 'constant' ? await import(pathToFileURL(home.code).href) : {};
    entries.set(symbol, {
      ...entry,
      subpath: home.subpath,
      source: join('src', source),
      value: values[home.name],
    });
  }
  const options = declarations.optionTypes;
  return subpaths.map(({ subpath, file, types }) => {
    const all = exportsOf(program, checker, types)
      .map(([, symbol]) => entries.get(symbol))
      .map((entry) => ({ ...entry, isOptions: /Options$/.test(entry.name) || options.has(entry.name) }));
    return {
      subpath,
      file,
      entries: all.filter((entry) => entry.subpath === subpath),
      elsewhere: all.filter((entry) => entry.subpath !== subpath),
    };
  });
}

/** The commands are for the command line, internal entry points for the other package. */
const isPublic = (name, key) =>
  !/internal|commands|json$/.test(key) && !(name === 'batonjs-lab' && /core|machine/.test(key)); // those forward

function subpathsOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const prefix = name === 'batonjs' ? '' : 'lab-';
  return Object.entries(exports)
    .filter(([key]) => isPublic(name, key))
    .map(([key, target]) => ({
      subpath: join(name, key),
      file: `${key === '.' ? name : prefix + basename(key)}.md`,
      types: join(folder, target.require.types), // those of `import` forward to these
      code: join(folder, target.import.default),
    }));
}

/** The first subpath that exports a symbol documents it. */
function homesOf(program, checker, subpaths) {
  const homes = new Map();
  for (const { subpath, types, code } of subpaths)
    for (const [name, symbol] of exportsOf(program, checker, types))
      if (!homes.has(symbol)) homes.set(symbol, { name, subpath, code });
  return homes;
}

/** Returns the exported names of a file, in alphabetical order, with what they stand for. */
function exportsOf(program, checker, file) {
  const sourceFile = program.getSourceFile(file);
  if (sourceFile === undefined) throw new Error(`${file} is missing: build first, with npm run build`);
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(sourceFile))
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ])
    .sort(([a], [b]) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en') || (a < b ? -1 : 1));
}
