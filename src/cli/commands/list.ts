import { catalogue } from '../../catalogue/index.ts';
import { logicalClocks } from '../../causality/index.ts';
import { catalogueEntry } from '../input/catalogue-entry.ts';
import { table } from '../output/table.ts';

export function listCommand({ json }: { json?: boolean }): number {
  const entries = catalogue.map(catalogueEntry);
  if (json) {
    console.log(JSON.stringify(entries, null, 2));
    return 0;
  }
  const head = ['name', 'problem', 'topology', 'channels', 'failures', 'timing', 'mutants'];
  const rows = entries.map((entry) => [
    [entry.name, ...entry.aliases].join(' = '),
    entry.problem,
    entry.topology,
    entry.channels ?? '',
    entry.failures,
    entry.timing,
    `${entry.mutants.length}`,
  ]);
  process.stdout.write(table([head, ...rows]));
  console.log(
    '\nbaton show NAME tells the paper, the bounds, the mutants and the source; baton simulate NAME runs it.\n' +
      'A lock and an election, like token-ring+bully, make a lock that survives crashes and lost tokens.\n' +
      'An election, like chang-roberts+rounds, happens again after every crash that concerns it.\n' +
      `Logical clocks, with which any run can be observed: ${logicalClocks.map(({ name }) => name).join(', ')}; baton simulate NAME --diagram --stamps CLOCK.`,
  );
  return 0;
}
