import { type EitherAlgorithm, resolve } from '../../catalogue/index.ts';
import { sourceFilesOf } from '../../catalogue/source-files.ts';

// Each file is fetched when it is needed.
const files = import.meta.glob<string>(
  ['../../algorithms/{mutex,election,clocks,shared}/*.ts', '../../mutants/*.ts', '../../compositions/*.ts'],
  { query: '?raw', import: 'default' },
);

/** Returns the files with the text of an algorithm, its own first. */
export const filesOf = (algorithm: EitherAlgorithm): string[] =>
  sourceFilesOf(algorithm, (path) => `../../${path}` in files);

export const fileText = (path: string): Promise<string> => files[`../../${path}`]!();

/** Returns the text to start editing from; for a composition, the text of its first part. */
export const sourceTextOf = ({ name }: EitherAlgorithm): Promise<string> =>
  fileText(filesOf(resolve(name.split('+')[0]!))[0]!);

/** Returns a short hash of the text of an algorithm of the catalogue. */
export async function versionOf(algorithm: EitherAlgorithm): Promise<string> {
  const texts = await Promise.all(filesOf(algorithm).map(fileText));
  return textHash(texts.join('\n'));
}

/** FNV-1a, in eight hexadecimal digits. */
function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let k = 0; k < text.length; k += 1) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
