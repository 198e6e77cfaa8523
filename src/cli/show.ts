import { entryOf, find, isMutant, sourceOf } from './catalogue.ts';
import { table } from './table.ts';

export function show(name: string, { json }: { json?: boolean }): number {
  const algorithm = find(name);
  const entry = entryOf(algorithm);
  if (json) {
    console.log(JSON.stringify(entry, null, 2));
    return 0;
  }
  const source = sourceOf(algorithm);
  const per = entry.problem === 'mutex' ? 'per entry' : 'per election';
  const facts = [
    ['paper', entry.paper],
    ['problem', entry.problem],
    [
      'assumes',
      `${entry.topology} network, ${entry.channels} channels, failures: ${entry.failures}, ${entry.timing}`,
    ],
    ['knows', algorithm.knows.join(', ')],
    ...(isMutant(algorithm)
      ? [
          ['mutant of', algorithm.of],
          ['lie', algorithm.lie],
        ]
      : []),
    ...(entry.mutants.length > 0 ? [['mutants', entry.mutants.join(', ')]] : []),
  ];
  const bounds = entry.bounds.map(({ case: which, counts, formula, when, source: from }) => [
    which,
    counts.join(' + '),
    formula,
    when ?? '',
    from,
  ]);
  console.log(entry.name);
  process.stdout.write(table(facts, '  '));
  console.log(`\nmessages ${per}`);
  process.stdout.write(table([['case', 'counts', 'formula', 'when', 'source'], ...bounds], '  '));
  console.log(`\n${source}`);
  return 0;
}
