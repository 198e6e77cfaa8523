// Threads change nothing but the time: a search says the same, whoever helps and whatever they do in between.
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { Check, type CheckOptions, type CheckReport, type Space } from '../../src/check/index.ts';
import { RemoteWorker } from '../../src/check/parallel/remote-worker.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';

const few = 5_000;
const all = [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants];
const named = (name: string) => all.find((algorithm) => algorithm.name === name)!;

function outcome(search: Check): Omit<CheckReport, 'bytes'> & { sample: string | null } {
  while (search.advance(1000));
  const { bytes, ...report } = search.report();
  return { ...report, sample: search.sample() };
}

/** With one who takes all the work as soon as it is given any. */
function withAssistant(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space, options: CheckOptions) {
  const search = new Check(algorithm, space, options);
  const assistant = new RemoteWorker(algorithm, space, options);
  search.join({ post: (errand) => assistant.perform(errand) }, 1);
  return outcome(search);
}

describe.each(all.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
  const isTicking = !('program' in algorithm) && algorithm.timers !== undefined;
  const entries = algorithm.problem === 'mutex' ? { entries: 2 } : {};

  test('the same with an assistant', () => {
    for (const options of [{}, { reduction: false }, { lemmas: true }] as CheckOptions[]) {
      const question = { ...options, maxStates: few, ...(isTicking && { maxDepth: 9 }) };
      const space = 'program' in algorithm ? { entries: 2 } : { n: 3, ...entries };
      const alone = outcome(new Check(algorithm, space, question));
      expect(withAssistant(algorithm, space, question)).toEqual(alone);
    }
  });
});

interface Case {
  readonly name: string;
  readonly space?: Space;
  readonly options?: CheckOptions;
}

const cases: readonly Case[] = [
  { name: 'ricart-agrawala', space: { entries: 2, channels: 'fifo' } },
  { name: 'ricart-agrawala', space: { entries: 2 }, options: { reduction: false } },
  { name: 'ricart-agrawala', space: { entries: 2 }, options: { lemmas: true } },
  { name: 'ricart-agrawala', options: { losses: 1, repeats: 1 } },
  { name: 'ricart-agrawala-no-tie-break', space: { entries: 2, channels: 'fifo' } },
  { name: 'lamport', options: { maxStates: 40_000 } },
  { name: 'lamport', space: { channels: 'unordered' }, options: { reduction: false } },
  { name: 'suzuki-kasami', space: { n: 4 }, options: { bypass: true, maxStates: 60_000 } },
  { name: 'chang-roberts', space: { ids: [5, 4, 3, 2, 1], channels: 'fifo' }, options: { bounds: true } },
  { name: 'itai-rodeh', space: { n: 3 }, options: { maxStates: 30_000 } },
  { name: 'bully', space: { n: 4 }, options: { crashes: 1, maxStates: 40_000 } },
  { name: 'token-ring', space: { n: 4, entries: 2 } },
  { name: 'raymond', space: { n: 4, entries: 2, channels: 'causal' }, options: { maxStates: 50_000 } },
  { name: 'bakery', space: { n: 3 }, options: { maxStates: 100_000, reduction: false } },
  { name: 'peterson-lock', space: { entries: Infinity }, options: { crashes: 1 } },
];

describe('in threads of their own', () => {
  test.each(cases)('%o', async ({ name, space = {}, options = {} }) => {
    const search = new Check(named(name), space, options);
    const workers = [0, 1].map(
      () => new Worker('./dist/cli/processes/check-worker.js', { workerData: { name, space, options } }),
    );
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    let batches = 0;
    for (const worker of workers) {
      const post = (errand: { batch: unknown }) => {
        if (errand.batch !== null) batches += 1;
        worker.postMessage(errand);
      };
      search.join({ post }, 4);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(outcome(search)).toEqual(outcome(new Check(named(name), space, options)));
    expect(batches).toBeGreaterThan(1);
    for (const worker of workers) await worker.terminate();
  });
});
