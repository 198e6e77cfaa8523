// The opponent shares no code with the checker: only compare.ts may import it.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'compare.ts');

test.each(files)('%s imports no code that the checker runs on', (file) => {
  const imports = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/from '\.\.\/\.\.\/src\/(\w+)/g);
  const folders = [...imports].map(([, name]) => name);
  expect(['algorithms', 'core', 'mutants']).toEqual(expect.arrayContaining([...new Set(folders)]));
});
