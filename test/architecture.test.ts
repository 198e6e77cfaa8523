// The page that explains the code agrees with the code.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceFiles } from './import-graph.ts';

const page = readFileSync('docs/architecture.md', 'utf8');

test('the map lists every folder of src once, and no other', () => {
  const rows = [...page.matchAll(/^\| `(src[^`]*)` \| (.+) \|$/gm)].map(([, folder]) => folder!);
  const folders = new Set(
    sourceFiles.filter((file) => file.includes('/')).map((file) => join('src', dirname(file))),
  );
  for (const folder of [...folders]) folders.add(dirname(folder));
  folders.delete('src');
  expect(rows.toSorted()).toEqual([...folders].sort());
});

describe('the walks', () => {
  const walks = page.split(/^### /m).slice(1);
  const titles = walks.map((walk) => walk.split('\n')[0]!);

  test('there are four', () => {
    expect(titles.map((title) => title.replace(/: \d+ files$/, ''))).toEqual([
      'A simulated message',
      'A checked state',
      'A frame to lock.fence',
      'A click to an arrow',
    ]);
  });

  test.each(walks.map((walk, k) => [titles[k]!, walk] as const))('%s', (title, walk) => {
    const files = [...walk.matchAll(/^\d+\. \[`(src\/[^`]+)`\]\(\.\.\/(src\/[^)]+)\): .+/gm)];
    expect(files.length).toBe(Number(/(\d+) files$/.exec(title)![1]));
    expect(new Set(files.map(([, path]) => path)).size).toBe(files.length);
    for (const [line, path, link] of files) {
      expect(link).toBe(path);
      expect(existsSync(path!), path).toBe(true);
      const text = readFileSync(path!, 'utf8');
      const names = [...line.matchAll(/`([#A-Za-z][\w#.]*)`/g)]
        .slice(1)
        .flatMap(([, name]) => name!.split('.'));
      for (const name of names) expect(text, `${path} has ${name}`).toContain(name);
    }
  });
});
