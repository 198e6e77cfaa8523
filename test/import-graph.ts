// Which file of src imports which, type imports included.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const sourceFiles = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** Returns what a text imports, as written, in `import`, `export … from` and `import()`. Examples in doc comments do not count. */
export const importsOf = (text: string): string[] =>
  [...text.replace(/^ *\*.*$/gm, '').matchAll(/(?<!')(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, to]) => to!,
  );

/** Returns the imported files of each file, as paths in src. */
export function importGraph(): Map<string, string[]> {
  const targets = (file: string) =>
    importsOf(readFileSync(join('src', file), 'utf8'))
      .filter((to) => to.startsWith('.'))
      .map((to) => join(dirname(file), to.replace(/\?.*/, '')))
      .filter((path) => existsSync(join('src', path)));
  return new Map(sourceFiles.map((file) => [file, targets(file)]));
}

/** Returns a shortest cycle of imports, or null. */
export function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const cycles = [...graph.keys()].flatMap((file) => {
    const path = pathBetween(graph, file, file);
    return path === null ? [] : [path];
  });
  return cycles.sort((a, b) => a.length - b.length)[0] ?? null;
}

function pathBetween(
  graph: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): string[] | null {
  const before = new Map<string, string>();
  const queue = [from];
  for (const file of queue) {
    for (const next of graph.get(file) ?? []) {
      if (before.has(next)) continue;
      before.set(next, file);
      if (next !== to) {
        queue.push(next);
        continue;
      }
      const path = [to];
      for (let at = file; at !== from; at = before.get(at)!) path.unshift(at);
      return [from, ...path];
    }
  }
  return null;
}
