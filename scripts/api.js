// Writes the API reference, docs/reference/api, from the doc comments in the declarations of dist/.
//   npm run api             builds, then writes
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder } from './api/links.js';
import { readApi } from './api/model.js';
import { renderApi } from './api/render.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the text of each page, by its path. */
export const apiPages = async () => renderApi(root, await readApi(root));

/** Writes the pages, and removes those of subpaths that are gone. */
export function writeApi(pages) {
  mkdirSync(join(root, folder), { recursive: true });
  for (const file of readdirSync(join(root, folder)))
    if (!pages.has(join(folder, file))) rmSync(join(root, folder, file));
  for (const [path, text] of pages) writeFileSync(join(root, path), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    writeApi(await apiPages());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
