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

/**
 * Evaluates compiled code and returns its algorithm. The code is imported as a module from a blob,
 * so that the positions in a stack trace are positions in the code. Both start at line 1.
 */
export async function evaluate(code: string, algorithmName: string | null): Promise<EitherAlgorithm> {
  const body = `export default (require, exports) => {${code}\n}`;
  const url = URL.createObjectURL(new Blob([body], { type: 'text/javascript' }));
  try {
    const exported = {};
    (await import(/* @vite-ignore */ url)).default(requireModule, exported);
    return algorithmIn('the text', exported, algorithmName);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function thrownErrorOf(error: unknown): ThrownError {
  const message = error instanceof Error ? error.message : String(error);
  const [, line, column] = /blob:\S+?:(\d+):(\d+)/.exec((error as Error)?.stack ?? '') ?? [];
  return { message, at: line === undefined ? null : { line: Number(line), column: Number(column) } };
}

/** What happens when a function of an algorithm is called. */
export interface CallHooks {
  readonly onCall?: () => void;
  readonly onError?: (error: unknown) => void; // before the simulator formats it
}

/** Wraps every function of an algorithm with hooks. */
export function withCallHooks(algorithm: EitherAlgorithm, { onCall, onError }: CallHooks): EitherAlgorithm {
  const wrapped = (value: unknown): unknown => {
    if (typeof value === 'function')
      return (...args: unknown[]) => {
        onCall?.();
        try {
          return value(...args);
        } catch (error) {
          onError?.(error);
          throw error;
        }
      };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        wrapped(key === 'program' ? wrappedProgram(item) : item),
      ]),
    );
  };
  // A program is a function that returns functions.
  const wrappedProgram = (program: (...args: unknown[]) => unknown) => (facts: unknown) =>
    wrapped(program(facts));
  return wrapped(algorithm) as EitherAlgorithm;
}
