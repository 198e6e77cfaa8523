import { existsSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../../core/assert.ts';
import { atlasHtml, atlasMarkdown, type Block } from '../../measure/index.ts';
import { FileWriter } from './file-writer.ts';

/** The report as files: text with figures beside it, and one page that needs neither server nor network. */
export function atlasFiles(blocks: readonly Block[]): Map<string, string> {
  const files = new Map([
    ['atlas.md', atlasMarkdown(blocks, 'atlas')],
    ['atlas.html', atlasHtml(blocks)],
  ]);
  for (const block of blocks) if (block.type === 'figure') files.set(`atlas/${block.name}.svg`, block.svg);
  return files;
}

/** Before hours are spent on a report that cannot be written: by making a folder there, since not all refusals show in its rights. */
export function assertWritableFolder(folder: string): void {
  if (folder === '') throw new InputError(`'' is not a folder to write a report to`);
  for (const wanted of [resolve(folder), resolve(folder, 'atlas')]) {
    let nearest = wanted;
    while (!existsSync(nearest)) nearest = dirname(nearest);
    if (!statSync(nearest).isDirectory())
      throw new InputError(`'${folder}' is not a folder to write a report to: ${nearest} is a file`);
    try {
      rmdirSync(mkdtempSync(join(nearest, '.baton-')));
    } catch (error) {
      throw new InputError(`cannot write to ${folder}: ${(error as Error).message}`);
    }
  }
}

/** All of them or, if one cannot be written, none. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  const writers: FileWriter[] = [];
  try {
    for (const [name, text] of files) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      const writer = new FileWriter(path);
      writers.push(writer);
      writer.write(text.trimEnd());
    }
    for (const writer of writers) writer.done();
  } catch (error) {
    for (const writer of writers) writer.discard();
    throw error;
  }
}
