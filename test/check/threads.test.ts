// Threads change only the time: a search gives the same result with any helpers, whatever they do in between.
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { Check, type CheckOptions, type CheckReport, type Space } from '../../src/check/index.ts';
import { RemoteWorker } from '../../src/check/parallel/remote-worker.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { mutants, sharedMutants } from '../../src/mutants/index.ts';

const maxStates = 5_000;
const all = [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants];
const named = (name: string) => all.find((algorithm) => algorithm.name === name)!;

function outcome(search: Check): Omit<CheckReport, 'bytes'> & { sample: string | null } {
  while (search.advance(1000));
  const { bytes, ...report } = search.report();
  return { ...report, sample: search.sample() };
}

/** Checks with one worker, which performs every assignment as soon as it gets it. */
function withWorker(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space, options: CheckOptions) {
  const search = new Check(algorithm, space, options);
  const remote = new RemoteWorker(algorithm, space, options);
  search.join({ post: (assignment) => remote.perform(assignment) }, 1);
  return outcome(search);
}

describe.each(all.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (_, algorithm) => {
  const isTicking = !('program' in algorithm) && algorithm.timers !== undefined;
  const entries = algorithm.problem === 'mutex' ? { entries: 2 } : {};

  test('the result is the same with one worker', () => {
    for (const options of [{}, { lemmas: false }, { reduction: false }] as CheckOptions[]) {
      const limited = { ...options, maxStates, ...(isTicking && { maxDepth: 9 }) };
      const space = 'program' in algorithm ? { entries: 2 } : { n: 3, ...entries };
      const alone = outcome(new Check(algorithm, space, limited));
      expect(withWorker(algorithm, space, limited)).toEqual(alone);
    }
  });
});

interface Case {
  readonly name: string;
  readonly space?: Space;
  readonly options?: CheckOptions;
}

const cases: readonly Case[] = [
  { name: 'ricart-agrawala', space: { entries: 2, channels: 'fifo' }, options: { lemmas: false } },
  { name: 'ricart-agrawala', space: { entries: 2 }, options: { reduction: false } },
  { name: 'ricart-agrawala', space: { entries: 2 }, options: { reduction: false, lemmas: false } },
  { name: 'ricart-agrawala', options: { losses: 1, repeats: 1 } },
  {
    name: 'ricart-agrawala-no-tie-break',
    space: { entries: 2, channels: 'fifo' },
    options: { lemmas: false },
  },
  { name: 'lamport', options: { maxStates: 40_000, lemmas: false } },
  { name: 'lamport', space: { channels: 'unordered' }, options: { reduction: false } },
  { name: 'suzuki-kasami', space: { n: 4 }, options: { bypass: true, maxStates: 60_000 } },
  {
    name: 'chang-roberts',
    space: { ids: [5, 4, 3, 2, 1], channels: 'fifo' },
    options: { bounds: true, lemmas: false },
  },
  { name: 'itai-rodeh', space: { n: 3 }, options: { maxStates: 30_000 } },
  { name: 'bully', space: { n: 4 }, options: { crashes: 1, maxStates: 40_000 } },
  { name: 'token-ring', space: { n: 4, entries: 2 } },
  { name: 'raymond', space: { n: 4, entries: 2, channels: 'causal' }, options: { maxStates: 50_000 } },
  { name: 'bakery', space: { n: 3 }, options: { maxStates: 100_000, reduction: false } },
  { name: 'peterson-lock', space: { entries: Infinity }, options: { crashes: 1 } },
];

describe('the result is the same with workers in threads', () => {
  test.each(cases)('%o', async ({ name, space = {}, options = {} }) => {
    const search = new Check(named(name), space, options);
    const workers = [0, 1].map(
      () =>
        new Worker('./packages/batonjs-lab/dist/check-worker.js', { workerData: { name, space, options } }),
    );
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    let batches = 0;
    for (const worker of workers) {
      const post = (assignment: { batch: unknown }) => {
        if (assignment.batch !== null) batches += 1;
        worker.postMessage(assignment);
      };
      search.join({ post }, 4);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(outcome(search)).toEqual(outcome(new Check(named(name), space, options)));
    expect(batches).toBeGreaterThan(1);
    for (const worker of workers) await worker.terminate();
  });
});
