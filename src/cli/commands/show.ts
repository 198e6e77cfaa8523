import { algorithmInfo, type EitherAlgorithm, isMutant } from '../../catalogue/index.ts';
import { logicalClocks } from '../../causality/index.ts';
import type { LogicalClock } from '../../core/logical-clock.ts';
import { bypassCountingText } from '../../problems/bypass-counter.ts';
import { isAlgorithmFile, loadAlgorithm } from '../input/algorithm-file.ts';
import { catalogueEntry, readSource, sourceText } from '../input/catalogue-entry.ts';
import { readTextFile } from '../input/read-file.ts';
import { measureTitles } from '../output/measures-text.ts';
import { table } from '../output/table.ts';

export async function showCommand(name: string, { json }: { json?: boolean }): Promise<number> {
  const clock = logicalClocks.find((clock) => clock.name === name);
  if (clock) return showClock(clock, json);
  const algorithm = await loadAlgorithm(name);
  const entry = catalogueEntry(algorithm);
  const { counts, knows } = algorithmInfo(algorithm);
  if (json) {
    console.log(JSON.stringify(entry, null, 2));
    return 0;
  }
  const source = isAlgorithmFile(name) ? readTextFile(name) : sourceText(algorithm);
  const per = { mutex: 'per entry', election: 'per election', clocks: 'per synchronisation' }[entry.problem];
  const facts = [
    ...(entry.aliases.length > 0 ? [['also called', entry.aliases.join(', ')]] : []),
    ['paper', entry.paper],
    ['problem', entry.problem],
    ['assumes', `${where(entry)}, failures: ${entry.failures}, ${entry.timing}`],
    ...(knows.length > 0 ? [['knows', knows.join(', ')]] : []),
    ...memoryOf(algorithm),
    ...(isMutant(algorithm)
      ? [
          ['mutant of', algorithm.of],
          ['lie', algorithm.lie],
        ]
      : []),
    ...(entry.mutants.length > 0 ? [['mutants', entry.mutants.join(', ')]] : []),
  ];
  const isCount = ({ measures }: (typeof entry.bounds)[number]) => measures === 'messages';
  const bounds = entry.bounds
    .filter(isCount)
    .map(({ case: which, counts: kinds, formula, when, source: from }) => [
      which,
      kinds.join(' + '),
      formula,
      when ?? '',
      from,
    ]);
  console.log(entry.name);
  process.stdout.write(table(facts, '  '));
  if (bounds.length > 0) {
    console.log(`\n${counts} ${per}`);
    process.stdout.write(table([['case', 'counts', 'formula', 'when', 'source'], ...bounds], '  '));
  }
  const others = entry.bounds.filter((bound) => !isCount(bound));
  if (others.length > 0) {
    const rows = others.map(({ measures, case: which, counts: kinds, formula, when, source: from }) => [
      [measureTitles[measures], ...(kinds.length > 0 ? [`of ${kinds.join(' + ')}`] : [])].join(' '),
      which,
      formula,
      when ?? '',
      from,
    ]);
    console.log('\ntime, size and load; T is the time of a message, E the time inside');
    process.stdout.write(table([['measure', 'case', 'formula', 'when', 'source'], ...rows], '  '));
  }
  if (entry.bypass) {
    const rows = entry.bypass.map(({ from, formula, when, source: who }) => [
      bypassCountingText[from],
      formula,
      when ?? '',
      who,
    ]);
    console.log('\nentries of others while one waits; a of n ask');
    process.stdout.write(table([['counted', 'at most', 'when', 'source'], ...rows], '  '));
  }
  console.log(`\n${source}`);
  return 0;
}

function showClock({ name, paper }: LogicalClock<unknown>, json = false): number {
  if (json) console.log(JSON.stringify({ name, paper }, null, 2));
  else {
    console.log(name);
    process.stdout.write(table([['paper', paper]], '  '));
    console.log(
      `\nobserves any run: baton simulate NAME --diagram --stamps ${name}\n\n${readSource(`algorithms/clocks/${name}.ts`)}`,
    );
  }
  return 0;
}

const where = ({ topology, channels }: ReturnType<typeof catalogueEntry>): string =>
  channels === null ? `${topology}, atomic reads and writes` : `${topology} network, ${channels} channels`;

/** Returns the rows of processes and registers, for algorithms on shared memory. */
function memoryOf(algorithm: EitherAlgorithm): string[][] {
  const { registers, ...facts } = algorithmInfo(algorithm);
  const { min, max } = facts.sizes;
  const tried = max === undefined ? [min, min + 1, min + 2] : [max];
  const names = new Set(registers(tried.at(-1)!).map(({ name }) => name));
  if (names.size === 0) return [];
  const counts = tried.map((n) => `${registers(n).length} for n = ${n}`);
  return [
    ['processes', min === max ? `${min}` : max === undefined ? `${min} or more` : `${min} to ${max}`],
    ['registers', `${[...names].join(', ')}: ${counts.join(', ')}`],
  ];
}
