import { InputError } from './assert.ts';

/** The word most similar to `word`, or null if none is similar enough. */
export function nearest(word: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.ceil(word.length * 0.4)) + 0.5;
  for (const candidate of words) {
    const isPart = word.length >= 3 && candidate.includes(word.toLowerCase());
    const edits = isPart ? 1 : distance(word.toLowerCase(), candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

/** `; did you mean ..`, or an empty string. */
export function suggest(word: string, words: readonly string[]): string {
  const found = nearest(word, words);
  return found === null ? '' : `; did you mean ${found}`;
}

/**
 * Returns a sentence about the first option that `call` does not have, or null if it has all of them. An option without a value is passed
 * over. Only an unknown option costs an allocation.
 */
export function unknownOption(call: string, options: object, names: readonly string[]): string | null {
  for (const name in options)
    if (!names.includes(name) && Object.hasOwn(options, name) && options[name as never] !== undefined)
      return unknownOptionText(call, name, names);
  return null;
}

/** @throws {InputError} if `call` does not have one of the options, which would have no effect. */
export function refuseUnknownOptions(call: string, options: object, names: readonly string[]): void {
  const sentence = unknownOption(call, options, names);
  if (sentence !== null) throw new InputError(sentence);
}

function unknownOptionText(call: string, name: string, names: readonly string[]): string {
  const found = nearest(name.slice(0, longestName), names);
  const help = found === null ? `its options are ${names.join(', ')}` : `did you mean ${found}?`;
  return `${call} has no option '${name.slice(0, longestName)}': ${help}`;
}

const longestName = 50;

/** Lists the options of a call: the compiler keeps the list complete. */
export const optionNames = <T extends object>(options: Readonly<Record<keyof T, true>>): readonly string[] =>
  Object.keys(options);

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
