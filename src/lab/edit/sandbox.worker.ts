// Runs code from the editor. The page terminates this worker when it takes too long.
import { algorithmInfo } from '../../catalogue/index.ts';
import { Check } from '../../check/index.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseScenario } from '../../sim/index.ts';
import { limitsAfter, SimulatedTimeline } from '../../timeline/index.ts';
import { describeAlgorithm } from '../run-worker/algorithm-stub.ts';
import { firstScenario } from '../state/first-scenario.ts';
import { evaluate, thrownErrorOf, withCallHooks } from './evaluate.ts';
import type { SandboxMessage, SandboxTask } from './sandbox.ts';
import type { ThrownError } from './source-positions.ts';

const maxEvents = 20_000;
const statesPerSlice = 400; // between two looks at the clock
const checkLimits = { maxStates: 3_000_000, maxBytes: 2 ** 29 };

const send = (message: SandboxMessage) => self.postMessage(message);

function run(
  algorithm: EitherAlgorithm,
  { what, fields, interventions }: SandboxTask,
): SandboxMessage & { kind: 'ran' } {
  const read = {
    kind: 'ran',
    algorithm: describeAlgorithm(algorithm),
    verdict: 'ok',
    events: 0,
    thrown: null,
  } as const;
  if (what === 'read') return read;
  const timeline = new SimulatedTimeline(
    algorithm,
    parseScenario(fields ?? firstScenario(algorithm)),
    interventions,
  );
  limitsAfter(timeline, timeline.setup.n, 1, 1);
  timeline.advanceTo(maxEvents);
  return { ...read, verdict: timeline.verdict ?? 'ok', events: timeline.events.length };
}

function check(algorithm: EitherAlgorithm, { fields }: SandboxTask): SandboxMessage & { kind: 'checked' } {
  const search = new Check(algorithm, parseScenario(fields ?? {}), checkLimits);
  let last = performance.now();
  while (search.advance(statesPerSlice)) {
    if (performance.now() < last + 150) continue;
    last = performance.now();
    send({ kind: 'progress', states: search.states, depth: search.depth });
  }
  const { verdict, states, leftOut, violation, sometimes, unused } = search.report();
  const unseen = sometimes.filter(({ seen }) => !seen).map(({ what }) => what);
  const things = algorithmInfo(algorithm).hasLines ? 'the line' : 'a message';
  return {
    kind: 'checked',
    algorithm: describeAlgorithm(algorithm),
    verdict,
    states,
    leftOut,
    never: [...unseen, ...unused.map((one) => `${things} ${one}`)],
    violation,
    thrown: null,
  };
}

self.onmessage = async ({ data: task }: MessageEvent<SandboxTask>) => {
  let thrown: ThrownError | null = null;
  try {
    send({ kind: 'begins' });
    const algorithm = withCallHooks(await evaluate(task.code, task.algorithmName), {
      onError: (error) => {
        thrown ??= thrownErrorOf(error);
      },
    });
    const result = task.what === 'check' ? check(algorithm, task) : run(algorithm, task);
    send({ ...result, thrown });
  } catch (error) {
    send({ kind: 'failed', thrown: thrown ?? thrownErrorOf(error) });
  }
};
send({ kind: 'ready' });
