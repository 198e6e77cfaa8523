// Mistakes in files that were loaded.
import { InputError } from '../../core/assert.ts';

/** By absolute path: the name under which a file was asked for. */
export const loadedFiles = new Map<string, string>();

export const firstLine = (text: string): string => text.split('\n', 1)[0]!;

/** Where in a loaded file an error comes from. */
export function sourceLineOf(error: unknown): { readonly file: string; readonly line: string } | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const [, path, line] of stack.matchAll(/^ {4}at (?:.*\()?(?:file:\/\/)?(.*?):(\d+):\d+\)?$/gm)) {
    const file = loadedFiles.get(path!);
    if (file !== undefined) return { file, line: line! };
  }
  return null;
}

/** An error that comes from a loaded file is a mistake there. */
export function errorInLoadedFile(error: unknown): InputError | null {
  const at = sourceLineOf(error);
  return at && new InputError(`${at.file}, line ${at.line}: ${firstLine((error as Error).message)}`);
}
