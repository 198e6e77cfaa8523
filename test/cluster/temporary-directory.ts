import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Puts the groups of one test file in a temporary directory, which is removed afterwards. */
export function inOwnDirectory(): void {
  const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
  process.env.BATON_DIR = directory;
  afterAll(() => {
    delete process.env.BATON_DIR;
    rmSync(directory, { recursive: true, force: true });
  });
}
