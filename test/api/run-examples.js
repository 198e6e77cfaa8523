// Runs programs, whose paths it reads as JSON, one after the other, each in a fresh directory with groups of its own. Prints as JSON why
// each of them failed, or null. A program fails if it throws, or if something of it would keep the process alive.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const longestMs = 20_000;
const lingerMs = 3_000;
const files = JSON.parse(readFileSync(0, 'utf8'));
console.log = () => {};

let rejected = null;
process.on('unhandledRejection', (reason) => {
  rejected = reason;
});

const resources = () =>
  process.getActiveResourcesInfo().filter((kind) => !/^(Immediate|TickObject)$/.test(kind));

async function failureOf(file) {
  const directory = mkdtempSync(join(tmpdir(), 'baton-api-'));
  process.chdir(directory);
  process.env.BATON_DIR = join(directory, 'groups');
  rejected = null;
  const before = resources().length;
  const late = new AbortController();
  const tooLong = pause(longestMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new Error(`it has not ended after ${longestMs} ms`);
  });
  try {
    await Promise.race([import(pathToFileURL(file).href), tooLong]);
    if (rejected !== null) throw rejected;
  } catch (error) {
    return error?.stack ?? String(error);
  } finally {
    late.abort();
    tooLong.catch(() => {});
  }
  const kept = await lingering(before);
  rmSync(directory, { recursive: true, force: true });
  return kept;
}

/** Says what would keep the process alive; null if nothing does. */
async function lingering(before) {
  const until = performance.now() + lingerMs;
  while (resources().length > before) {
    if (performance.now() > until) return `it would not end, because of ${resources().join(', ')}`;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return null;
}

const failures = [];
for (const file of files) failures.push(await failureOf(file));
process.stdout.write(JSON.stringify(failures), () => process.exit(0));
