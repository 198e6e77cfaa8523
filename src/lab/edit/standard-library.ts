import { getLibFiles } from '@ts-morph/common';

const first = 'lib.es2023.d.ts'; // that the editor's compiler reads

/** What the language itself declares, by file name: the first file, all that it refers to, and so on. */
export function standardLibrary(): Record<string, string> {
  const texts = new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const names = new Set([first]);
  for (const name of names)
    for (const [, lib] of texts.get(name)!.matchAll(/^\/\/\/ <reference lib="(.+)" \/>/gm))
      names.add(`lib.${lib}.d.ts`);
  return Object.fromEntries([...names].map((name) => [name, texts.get(name)!]));
}
