import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with a directory of groups of its own, which is removed afterwards: killed processes leave files behind. */
export async function inOwnDirectory<T>(work: () => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'baton-bench-'));
  process.env.BATON_DIR = directory; // child processes inherit it
  try {
    return await work();
  } finally {
    delete process.env.BATON_DIR;
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
