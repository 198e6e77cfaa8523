import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** The groups that the tests of a file join are in a directory of their own, which is gone afterwards. */
export function inOwnDirectory(): void {
  const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
  process.env.BATON_DIR = directory;
  afterAll(() => {
    delete process.env.BATON_DIR;
    rmSync(directory, { recursive: true, force: true });
  });
}
