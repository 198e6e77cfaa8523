import { randomUUID } from 'node:crypto';
import {
  fstatSync,
  ftruncateSync,
  linkSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Creates a file with its content atomically. Returns false if the file exists. */
export function createExclusively(directory: string, name: string, content: string): boolean {
  try {
    publish(directory, content, (temporary) => linkSync(temporary, join(directory, name)));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Creates or replaces a file atomically. */
export const replaceFile = (directory: string, name: string, content: string): void =>
  publish(directory, content, (temporary) => renameSync(temporary, join(directory, name)));

function publish(directory: string, content: string, publishAs: (temporary: string) => void): void {
  const temporary = join(directory, temporaryPrefix + randomUUID());
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    publishAs(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces the content of an open file. Text of the length of the previous one is one write. */
export function overwrite(descriptor: number, text: string): void {
  const bytes = Buffer.from(text); // Deno ignores the position of a text
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  if (fstatSync(descriptor).size > bytes.length) ftruncateSync(descriptor, bytes.length);
}

/** Removes a file. Something else at this path stays. */
export function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // a directory, for example
  }
}

export const temporaryPrefix = 'tmp-';

/** Updates the time of a file, so that cleaners of old files keep it. */
export function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // it is already gone
  }
}

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
