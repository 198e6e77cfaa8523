import type { Pid } from '../core/algorithm.ts';
import { type Input, type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { LineState } from '../machine/index.ts';
import { describe } from '../sim/fields.ts';
import { Replayer } from '../sim/replay.ts';
import type { Setup } from '../sim/scenario.ts';
import { unsteady } from './counterexample.ts';
import type { Step } from './medium.ts';
import type { SharedMove } from './programs.ts';

/** The trace of a run on shared memory. `loop`: the number of steps after which it goes round for ever. */
export function sharedTraceOf(
  setup: Setup,
  steps: readonly Step<SharedMove>[],
  verdict: string,
  loop?: number,
): Trace {
  const replayer = new Replayer(setup);
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
    const { at } = replayer.states[process] as LineState;
    if (crashed.delete(process)) happens(k + 1, process, { kind: 'restart' });
    if (move.kind === 'crash') crashed.add(process);
    happens(k + 1, process, move.kind === 'step' ? { kind: 'step', line: at } : move);
  });
  const entries = setup.entries === Infinity ? mostRequests(setup, steps) : setup.entries;
  const head = { ...describe({ ...setup, entries }), ...(loopEvent !== null && { loop: `${loopEvent}` }) };
  return traceOf(head, events, verdict);
}

function mostRequests({ n }: Setup, steps: readonly Step<SharedMove>[]): number {
  const requests = Array<number>(n).fill(0);
  for (const { process, move } of steps)
    if (move?.kind === 'call' && move.name === 'request') requests[process]! += 1;
  return Math.max(...requests);
}
