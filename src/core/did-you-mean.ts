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
