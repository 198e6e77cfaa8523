// What knowledge control saves: the requests of one entry, and their bits, with plain flooding and with the list of processes that have seen a request.
import { helaryPlouzeauRaynal, helaryPlouzeauRaynalFlooding } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import { type Run, simulate } from '../../src/sim/index.ts';

const networks = ['ring', 'grid', 'wheel', 'random:3', 'complete'];
const sizes = [5, 17, 100];
const seeds = 20;

/** Returns runs in which one process that does not have the token asks, once. */
const runsOf = (
  algorithm: typeof helaryPlouzeauRaynal | typeof helaryPlouzeauRaynalFlooding,
  topology: string,
  n: number,
) =>
  Array.from({ length: seeds }, (_, seed) => {
    const start = [{ process: 1 + new Random(seed, 'who asks').below(n - 1) }];
    return simulate(algorithm, { topology, n, seed, root: 0, start });
  });

const requests = ({ messages }: Run) => messages.byType.request!;
const bits = (run: Run) => requests(run) * run.measures!.bits!.request!.mean;
const number = (value: number): string => `${Math.round(value * 10) / 10}`;
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Returns the table of the page: the mean of each figure over the runs. */
export function controlTable(): string {
  const rows = networks.flatMap((topology) => {
    const runs = sizes.map((n) => ({
      plain: runsOf(helaryPlouzeauRaynalFlooding, topology, n),
      control: runsOf(helaryPlouzeauRaynal, topology, n),
    }));
    const meansOf = (of: (run: Run) => number) => {
      const mean = (some: readonly Run[]) => some.reduce((sum, run) => sum + of(run), 0) / some.length;
      return runs.map(({ plain, control }) => ({ plain: mean(plain), control: mean(control) }));
    };
    const [sent, size] = [meansOf(requests), meansOf(bits)];
    return [
      [topology, 'requests, plain flooding', ...sent.map(({ plain }) => number(plain))],
      ['', 'requests, knowledge control', ...sent.map(({ control }) => number(control))],
      ['', 'saved', ...sent.map(({ plain, control }) => `${Math.round(100 * (1 - control / plain))} %`)],
      ['', 'bits, plain flooding', ...size.map(({ plain }) => number(plain))],
      ['', 'bits, knowledge control', ...size.map(({ control }) => number(control))],
    ];
  });
  return [
    `One process that does not have the token asks, once: the mean of ${seeds} runs. A message takes 1 to 10 ticks.`,
    '',
    line(['network', '', ...sizes.map((n) => `n = ${n}`)]),
    `| --- | --- |${' --- |'.repeat(sizes.length)}`,
    ...rows.map(line),
  ].join('\n');
}
