// A compiled text becomes an algorithm.

import { algorithmIn } from '../../core/algorithm-validation.ts';
import { InputError } from '../../core/assert.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { resolveImport } from './resolve-import.ts';
import type { ThrownError } from './source-positions.ts';

const modules = import.meta.glob(
  ['../../core/*.ts', '../../algorithms/{mutex,election,clocks,shared}/*.ts', '../../mutants/*.ts'],
  { eager: true },
);

function requireModule(specifier: string): unknown {
  const path = resolveImport(specifier, Object.keys(modules));
  if (path === null)
    throw new InputError(
      `'${specifier}' cannot be imported here: there is batonjs, and the files of its core`,
    );
  return modules[path];
}

/** As a module from memory, so that the places in what it throws are places in it; its first line is the first of the text. */
export async function evaluate(code: string, called: string | null): Promise<EitherAlgorithm> {
  const body = `export default (require, exports) => {${code}\n}`;
  const url = URL.createObjectURL(new Blob([body], { type: 'text/javascript' }));
  try {
    const exported = {};
    (await import(/* @vite-ignore */ url)).default(requireModule, exported);
    return algorithmIn('the text', exported, called);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function thrownErrorOf(error: unknown): ThrownError {
  const message = error instanceof Error ? error.message : String(error);
  const [, line, column] = /blob:\S+?:(\d+):(\d+)/.exec((error as Error)?.stack ?? '') ?? [];
  return { message, at: line === undefined ? null : { line: Number(line), column: Number(column) } };
}

/** The same algorithm, whose functions tell what they throw before a host makes a sentence of it. */
export function withErrorHook(algorithm: EitherAlgorithm, hear: (error: unknown) => void): EitherAlgorithm {
  const listening = (value: unknown): unknown => {
    if (typeof value === 'function')
      return (...args: unknown[]) => {
        try {
          return value(...args);
        } catch (error) {
          hear(error);
          throw error;
        }
      };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, listening(key === 'program' ? made(item) : item)]),
    );
  };
  // A program is a function that returns functions.
  const made = (program: (...args: unknown[]) => unknown) => (place: unknown) => listening(program(place));
  return listening(algorithm) as EitherAlgorithm;
}
