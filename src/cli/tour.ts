// What `npm start` shows until there is a lab: four runs, each with a sentence about what to look at.
import { changRoberts, lamport, ricartAgrawala } from '../algorithms/index.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { harmonic } from '../core/bounds.ts';
import { parseTrace } from '../core/trace.ts';
import { textDiagram } from '../diagram/index.ts';
import { type Run, type Scenario, simulate } from '../sim/index.ts';

const bold = (text: string): string => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
const say = (text: string): void => console.log(text);
const number = (value: number): string => Math.round(value).toLocaleString('en');

function draw(algorithm: AnyAlgorithm, scenario: Scenario): Run {
  const lines: string[] = [];
  const run = simulate(algorithm, scenario, { trace: (line) => lines.push(`${line}\n`) });
  say(textDiagram(parseTrace(lines.join(''))));
  return run;
}

say(bold('Baton: whose turn is it, and who leads?\n'));

say(bold('1. Who leads: Chang and Roberts, 1979'));
say(
  'Each process sends its id round the ring; a smaller id is swallowed by a larger one, and the largest comes home.\n',
);
const election = draw(changRoberts, { ids: [2, 4, 1, 3], seed: 7 });
const { atLeast, atMost } = election.bounds;
say(
  `${election.leader} leads after ${election.messages.total} messages; the paper allows ${atLeast} to ${atMost}.\n`,
);

say(bold('2. Whose turn: Ricart and Agrawala, 1981'));
say(
  'A dashed lane waits, a thick one is inside. Two processes ask; who is later gets its reply only when the other leaves.\n',
);
const turns = draw(ricartAgrawala, {
  n: 3,
  start: [
    { process: 0, at: 0 },
    { process: 2, at: 3 },
  ],
  seed: 4,
});
say(`${turns.entries} entries, ${turns.messages.total} messages: exactly 2(n-1) each.\n`);

say(bold('3. What an assumption is worth: Lamport, 1978, without FIFO channels'));
say(
  'The acknowledgement of process 0 overtakes the request it sent before, so process 1 does not know that 0 asked first.\n',
);
const broken = draw(lamport, { n: 2, channels: 'unordered', seed: 5 });
for (const { property, why } of broken.violations)
  say(`Violated: ${property}. ${why[0]!.toUpperCase()}${why.slice(1)}.\n`);

say(bold('4. The same file, a million processes'));
const started = performance.now();
const large = simulate(changRoberts, { n: 1_000_000, seed: 1 });
const seconds = (performance.now() - started) / 1000;
const mean = number(1_000_000 * harmonic(1_000_000));
say(
  `${number(large.messages.byType.election!)} election messages in ${seconds.toFixed(1)} s; n H_n, the mean, is ${mean}.\n`,
);

say(`Go on with:
  npx baton list                                          the catalogue
  npx baton show ricart-agrawala                          the file, beside its bounds
  npx baton simulate bully --n 8 --crash 7@0 --start 4@1 --diagram
  npx baton simulate lamport --channels unordered --n 2 --seed 5 --trace two-inside.trace
  npx baton replay two-inside.trace --as mermaid`);
