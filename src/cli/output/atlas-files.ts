import { existsSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../../core/assert.ts';
import { atlasHtml, atlasMarkdown, type Block } from '../../measure/index.ts';
import { FileWriter } from './file-writer.ts';

/** Returns the files of the report: Markdown with separate figures, and one self-contained HTML page. */
export function atlasFiles(blocks: readonly Block[]): Map<string, string> {
  const files = new Map([
    ['atlas.md', atlasMarkdown(blocks, 'atlas')],
    ['atlas.html', atlasHtml(blocks)],
  ]);
  for (const block of blocks) if (block.type === 'figure') files.set(`atlas/${block.name}.svg`, block.svg);
  return files;
}

/** Fails early if the report cannot be written. Creates and removes a folder, because permissions do not show every restriction. */
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

/** Writes all files, or none if one cannot be written. */
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
