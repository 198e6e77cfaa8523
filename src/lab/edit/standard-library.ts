import { getLibFiles } from '@ts-morph/common';

const entryFile = 'lib.es2023.d.ts'; // of the editor's compiler

/** Returns the declarations of the language by file name: the entry file and all files it refers to, transitively. */
export function standardLibrary(): Record<string, string> {
  const texts = new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const names = new Set([entryFile]);
  for (const name of names)
    for (const [, lib] of texts.get(name)!.matchAll(/^\/\/\/ <reference lib="(.+)" \/>/gm))
      names.add(`lib.${lib}.d.ts`);
  return Object.fromEntries([...names].map((name) => [name, texts.get(name)!]));
}
