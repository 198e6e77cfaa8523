// A file written under a fence. Who wakes up after it lost the lock, and writes all the same, is not read by anybody.
//   node examples/fenced-file.ts FOLDER TEXT
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'batonjs';

const [, , folder = 'files', text = ''] = process.argv;

/** Each fence has a file of its own; the largest counts. So a writer that is late cannot overwrite anything. */
function write(fence: number, content: string) {
  const name = String(fence).padStart(16, '0'); // in the order of the names
  writeFileSync(`${folder}/.${name}`, content);
  renameSync(`${folder}/.${name}`, `${folder}/${name}`);
}

function read(): string {
  const newest = readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .at(-1);
  return newest === undefined ? '' : readFileSync(`${folder}/${newest}`, 'utf8');
}

mkdirSync(folder, { recursive: true });
await using group = await join('files');
await using lock = await group.lock('summary');
write(lock.fence, `${read()}${text}\n`); // read, change, write: nobody else in between
