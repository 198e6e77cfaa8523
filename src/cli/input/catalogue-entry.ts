import { existsSync, readFileSync } from 'node:fs';
import {
  algorithmInfo,
  aliasesOf,
  allMutants,
  type EitherAlgorithm,
  isMutant,
} from '../../catalogue/index.ts';
import { sourceFilesOf } from '../../catalogue/source-files.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { laboratoryFile } from '../laboratory-files.ts';

/** Returns what `list` and `show` print as JSON. */
export function catalogueEntry(algorithm: EitherAlgorithm) {
  const { name, problem, paper } = algorithm;
  const bounds: AnyAlgorithm['bounds'] = algorithm.bounds;
  const { assumes, bypass } = algorithmInfo(algorithm);
  return {
    name,
    aliases: aliasesOf(algorithm),
    problem,
    paper,
    ...assumes,
    bounds: bounds.map((bound) => ({
      measures: bound.measures ?? 'messages',
      case: bound.case,
      counts: bound.counts,
      formula: bound.formula,
      when: bound.when?.condition ?? null,
      source: bound.source,
    })),
    ...(bypass && {
      bypass: bypass.map(({ from, formula, when, source }) => ({
        from,
        formula,
        when: when?.condition ?? null,
        source,
      })),
    }),
    mutants: allMutants.filter(({ of }) => of === name || of.startsWith(`${name}+`)).map((one) => one.name),
    ...(isMutant(algorithm) ? { of: algorithm.of, lie: algorithm.lie } : {}),
  };
}

const inSource = (path: string): string => laboratoryFile(`sources/${path}`);

/**
 * Returns the text of the file an algorithm is written in, as shipped in src.
 * @throws {InputError} if the package was installed without it.
 */
export function sourceText(algorithm: EitherAlgorithm): string {
  const [path] = sourceFilesOf(algorithm, (one) => existsSync(inSource(one)));
  if (path !== undefined) return readSource(path);
  throw new InputError(`the source of ${algorithm.name} is not installed: src is missing`);
}

export const readSource = (path: string): string => readFileSync(inSource(path), 'utf8');
