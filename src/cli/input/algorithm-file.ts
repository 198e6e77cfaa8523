// Algorithms in files of the user: baton check ./mine.ts
import { realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, posix } from 'node:path';
import { type EitherAlgorithm, resolve } from '../../catalogue/index.ts';
import { algorithmIn } from '../../core/algorithm-validation.ts';
import { InputError } from '../../core/assert.ts';
import { firstLine, loadedFiles, sourceLineOf } from './algorithm-file-errors.ts';

const extensions = ['.ts', '.js', '.mjs'];
const packages = ['batonjs', 'batonjs-lab'];
const engines = /^\.\/(etcd|ioredis|mysql|nats|postgres|redis)$/; // they may need a client that is not installed

export const isAlgorithmFile = (name: string): boolean =>
  /[\\/]/.test(name) || extensions.includes(extname(name));

/** Finds an algorithm by name, or loads it from a file. */
export const loadAlgorithm = async (name: string): Promise<EitherAlgorithm> =>
  isAlgorithmFile(name) ? loadFile(name) : resolve(name);

async function loadFile(file: string): Promise<EitherAlgorithm> {
  assertAlgorithmFile(file);
  const path = realpathSync(file); // the path that appears in stack traces
  loadedFiles.set(path, file);
  const { createJiti } = await import('jiti'); // slow to load, and only needed here
  const options = { virtualModules: await ownModules(), fsCache: false, interopDefault: false };
  let exported: Record<string, unknown>;
  try {
    exported = await createJiti(import.meta.url, options).import(path);
  } catch (error) {
    throw new InputError(`${file} cannot be loaded: ${loadErrorText(error)}`);
  }
  return algorithmIn(file, exported);
}

function assertAlgorithmFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new InputError(`there is no file ${file}`);
  if (!found.isFile() || !extensions.includes(extname(file)))
    throw new InputError(`${file} holds no algorithm: it must be a file, .ts, .js or .mjs`);
}

/** Returns the modules of both packages by import name, so that the file can import them from any directory. */
async function ownModules(): Promise<Record<string, object>> {
  const require = createRequire(import.meta.url);
  const modules: Record<string, object> = {};
  for (const name of packages)
    for (const entry of Object.keys(require(`${name}/package.json`).exports))
      if (!/internal|\.json$/.test(entry) && !engines.test(entry)) {
        const path = posix.join(name, entry);
        modules[path] = await import(path);
      }
  return Object.fromEntries(
    Object.entries(modules).map(([path, module]) => [path, withMissingExports(path, module, modules)]),
  );
}

const ofModuleLoaders = ['default', '__esModule', 'then'];

/** Wraps a module so that reading a name that it does not export throws an error that says which module has that name. */
function withMissingExports(path: string, module: object, all: Record<string, object>): object {
  return new Proxy(Object.assign({}, module), {
    get(target, name) {
      if (typeof name === 'string' && !(name in target) && !ofModuleLoaders.includes(name)) {
        const other = Object.keys(all).find((key) => name in all[key]!);
        throw new InputError(
          `'${path}' does not export '${name}'${other === undefined ? '' : `; '${other}' does`}`,
        );
      }
      return Reflect.get(target, name);
    },
  });
}

/** Returns the error in one line, with the line number. */
function loadErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const syntax = /^ParseError: (.*?)\s*\n\s*(.*):(\d+):\d+$/.exec(text);
  if (syntax) {
    const [, why, path, line] = syntax;
    return `${why} at line ${line}${loadedFiles.has(path!) ? '' : ` of ${path}`}`;
  }
  const at = sourceLineOf(error);
  return `${firstLine(text)}${at === null ? '' : ` at line ${at.line}`}`;
}

/** Returns the option that `baton replay FILE` needs for a trace of this algorithm. */
export const replayOption = (name: string): string => (isAlgorithmFile(name) ? ` --algorithm ${name}` : '');
