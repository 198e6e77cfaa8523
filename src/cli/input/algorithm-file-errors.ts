// Errors in algorithm files of the user.
import { InputError } from '../../core/assert.ts';

/** The name of each loaded file as the user gave it, by absolute path. */
export const loadedFiles = new Map<string, string>();

export const firstLine = (text: string): string => text.split('\n', 1)[0]!;

/** Returns the line of a loaded file that an error comes from; null if it comes from elsewhere. */
export function sourceLineOf(error: unknown): { readonly file: string; readonly line: string } | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const [, path, line] of stack.matchAll(/^ {4}at (?:.*\()?(?:file:\/\/)?(.*?):(\d+):\d+\)?$/gm)) {
    const file = loadedFiles.get(path!);
    if (file !== undefined) return { file, line: line! };
  }
  return null;
}

/** Converts an error from a loaded file to an InputError that names the line; null if it comes from elsewhere. */
export function errorInLoadedFile(error: unknown): InputError | null {
  const at = sourceLineOf(error);
  return at && new InputError(`${at.file}, line ${at.line}: ${firstLine((error as Error).message)}`);
}
