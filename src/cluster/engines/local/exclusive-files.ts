import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates a file with its content atomically. Returns false if the file exists. */
export function createExclusively(directory: string, name: string, content: string): boolean {
  const temporary = join(directory, temporaryPrefix + randomUUID());
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    linkSync(temporary, join(directory, name));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
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
