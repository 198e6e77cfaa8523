// Algorithms that stand in files of their own: baton check ./mine.ts
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { type EitherAlgorithm, resolve } from '../catalogue/index.ts';
import { InputError } from '../core/assert.ts';
import { algorithmIn } from '../core/contract.ts';
import { firstLine, loaded, placeOf } from './mistakes.ts';

const extensions = ['.ts', '.js', '.mjs'];
const home = new URL('../../', import.meta.url);

export const isFile = (name: string): boolean => /[\\/]/.test(name) || extensions.includes(extname(name));

/** Finds an algorithm by name, or loads it from a file. */
export const load = async (name: string): Promise<EitherAlgorithm> =>
  isFile(name) ? loadFile(name) : resolve(name);

async function loadFile(file: string): Promise<EitherAlgorithm> {
  refuseOthers(file);
  const path = realpathSync(file); // as stacks name it
  loaded.set(path, file);
  const { createJiti } = await import('jiti'); // slow to load, and needed for nothing else
  const options = { virtualModules: await ownModules(), fsCache: false, interopDefault: false };
  let exported: Record<string, unknown>;
  try {
    exported = await createJiti(import.meta.url, options).import(path);
  } catch (error) {
    throw new InputError(`${file} cannot be loaded: ${whyNot(error)}`);
  }
  return algorithmIn(file, exported);
}

function refuseOthers(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new InputError(`there is no file ${file}`);
  if (!found.isFile() || !extensions.includes(extname(file)))
    throw new InputError(`${file} holds no algorithm: it must be a file, .ts, .js or .mjs`);
}

/** What this package exports, by the names under which it is imported: a file need not lie where they could be found. */
async function ownModules(): Promise<Record<string, unknown>> {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'));
  const modules: Record<string, unknown> = {};
  for (const [entry, target] of Object.entries<string | { default: string }>(exports))
    if (typeof target === 'object')
      modules[posix.join(name, entry)] = await import(new URL(target.default, home).href);
  return modules;
}

/** In one line, with the place. */
function whyNot(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const syntax = /^ParseError: (.*?)\s*\n\s*(.*):(\d+):\d+$/.exec(text);
  if (syntax) {
    const [, why, path, line] = syntax;
    return `${why} at line ${line}${loaded.has(path!) ? '' : ` of ${path}`}`;
  }
  const at = placeOf(error);
  return `${firstLine(text)}${at === null ? '' : ` at line ${at.line}`}`;
}

/** What to add to `baton replay FILE` for a trace of this algorithm. */
export const replayedWith = (name: string): string => (isFile(name) ? ` --algorithm ${name}` : '');
