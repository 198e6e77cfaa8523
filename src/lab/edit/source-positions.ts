// Maps errors of compiled code to positions in the text.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { TextDiagnostic } from './typescript-compiler.ts';

/** An error, with its position in the compiled code. */
export interface ThrownError {
  readonly message: string;
  readonly at: { readonly line: number; readonly column: number } | null; // both counted from 1
}

/** Returns an error as a diagnostic at its line. Without a line, at the field that its message names. */
export function diagnosticOf({ message, at }: ThrownError, text: string, map: string): TextDiagnostic {
  const line = at && originalPositionFor(new TraceMap(map), { line: at.line, column: at.column - 1 }).line;
  return { ...rangeOf(text, line ?? lineOfContractError(message, text)), message };
}

/** Returns the line, counted from 1, of the field that a contract error names, or of its parent if it is missing. */
function lineOfContractError(message: string, text: string): number {
  const lines = text.split('\n');
  const path = /(?:not an algorithm: )([\w.]+) is /.exec(message)?.[1]?.split('.') ?? [];
  while (path.length > 0) {
    const key = new RegExp(`^\\s+${path.pop()}\\b\\s*[:(,]`);
    const found = lines.findIndex((line) => key.test(line));
    if (found >= 0) return found + 1;
  }
  return (
    Math.max(
      0,
      lines.findIndex((line) => /^export\b/.test(line)),
    ) + 1
  );
}

function rangeOf(text: string, number: number): { readonly from: number; readonly to: number } {
  const lines = text.split('\n');
  const line = lines[number - 1] ?? '';
  const start = lines.slice(0, number - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return { from: start + line.length - line.trimStart().length, to: start + line.trimEnd().length };
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
