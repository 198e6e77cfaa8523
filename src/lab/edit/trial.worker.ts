// Tries a text: whoever started this thread ends it when it takes too long.

import { Check } from '../../check/index.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseFields } from '../../sim/index.ts';
import { limitsAt, Stage } from '../../stage/index.ts';
import { firstScenario } from '../first-scenario.ts';
import { describe } from '../run/description.ts';
import { evaluate, overheard, thrownBy } from './evaluate.ts';
import type { Thrown } from './places.ts';
import type { Answer, Task } from './trial.ts';

const tried = 20_000; // events
const worlds = 400; // between two words of progress
const most = { maxStates: 3_000_000, maxBytes: 2 ** 29 };

const say = (answer: Answer) => self.postMessage(answer);

function run(algorithm: EitherAlgorithm, { what, fields, interventions }: Task): Answer & { kind: 'ran' } {
  const read = {
    kind: 'ran',
    algorithm: describe(algorithm),
    verdict: 'ok',
    events: 0,
    thrown: null,
  } as const;
  if (what === 'read') return read;
  const stage = new Stage(algorithm, parseFields(fields ?? firstScenario(algorithm)), interventions);
  limitsAt(stage, stage.setup.n, 1, 1);
  stage.reach(tried);
  return { ...read, verdict: stage.verdict ?? 'ok', events: stage.events.length };
}

function check(algorithm: EitherAlgorithm, { fields }: Task): Answer & { kind: 'checked' } {
  const search = new Check(algorithm, parseFields(fields ?? {}), most);
  let last = performance.now();
  while (search.advance(worlds)) {
    if (performance.now() < last + 150) continue;
    last = performance.now();
    say({ kind: 'progress', states: search.states, depth: search.depth });
  }
  const { ok, complete, states, leftOut, violation } = search.report();
  return {
    kind: 'checked',
    algorithm: describe(algorithm),
    ok,
    complete,
    states,
    leftOut,
    violation,
    thrown: null,
  };
}

self.onmessage = async ({ data: task }: MessageEvent<Task>) => {
  let thrown: Thrown | null = null;
  try {
    say({ kind: 'begins' });
    const algorithm = overheard(await evaluate(task.code, task.called), (error) => {
      thrown ??= thrownBy(error);
    });
    const result = task.what === 'check' ? check(algorithm, task) : run(algorithm, task);
    say({ ...result, thrown });
  } catch (error) {
    say({ kind: 'failed', thrown: thrown ?? thrownBy(error) });
  }
};
say({ kind: 'ready' });
