import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a file with all its content at once, unless there is one of this name: then false. */
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

/** So that who tidies up old files lets it be. */
export function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // then it is gone already
  }
}

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
