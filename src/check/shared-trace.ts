import type { Pid } from '../core/algorithm.ts';
import { type Input, type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import { SharedReplayer } from '../sim/shared-replay.ts';
import { describeShared, type SharedSetup } from '../sim/shared-scenario.ts';
import { unsteady } from './counterexample.ts';
import type { Step } from './model.ts';
import type { SharedMove } from './programs.ts';

/** The trace of a run on shared memory. `loop`: the number of steps after which it goes round for ever. */
export function sharedTraceOf(
  setup: SharedSetup,
  steps: readonly Step<SharedMove>[],
  verdict: string,
  loop?: number,
): Trace {
  const replayer = new SharedReplayer(setup);
  const crashed = new Set<Pid>();
  const events: TraceEvent[] = [];
  let loopEvent: number | null = null;
  const happens = (time: number, process: Pid, input: Input) => {
    const outputs = replayer.step({ time, process, input, outputs: [] });
    if (typeof outputs === 'string') throw unsteady(setup.algorithm.name);
    events.push({ time, process, input, outputs });
  };
  steps.forEach(({ process, move }, k) => {
    if (move === null) return;
    if (k === loop) loopEvent = events.length;
    const { at } = replayer.world.processes[process]!;
    if (crashed.delete(process)) happens(k + 1, process, { kind: 'restart' });
    if (move.kind === 'crash') crashed.add(process);
    happens(k + 1, process, move.kind === 'step' ? { kind: 'step', line: at } : move);
  });
  const entries = setup.entries === Infinity ? mostRequests(setup, steps) : setup.entries;
  const head = {
    ...describeShared({ ...setup, entries }),
    ...(loopEvent !== null && { loop: `${loopEvent}` }),
  };
  return traceOf(head, events, verdict);
}

function mostRequests({ n }: SharedSetup, steps: readonly Step<SharedMove>[]): number {
  const requests = Array<number>(n).fill(0);
  for (const { process, move } of steps)
    if (move?.kind === 'call' && move.name === 'request') requests[process]! += 1;
  return Math.max(...requests);
}
