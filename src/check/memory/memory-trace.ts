import type { Pid } from '../../core/algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { LineState } from '../../machine/index.ts';
import type { CheckConfig } from '../config.ts';
import { CounterexampleWriter } from '../counterexample.ts';
import type { Step } from '../model/medium.ts';
import type { MemoryAction } from './programs.ts';

/** Returns the trace of a run. Where clients ask without end, its head names the requests that the run has. */
export function memoryTrace(
  { setup }: CheckConfig,
  steps: readonly Step<MemoryAction>[],
  verdict: string,
  loop?: number,
): Trace {
  const writer = new CounterexampleWriter(setup);
  const crashed = new Set<Pid>();
  const requests = Array<number>(setup.n).fill(0);
  steps.forEach(({ process, action, coins }, k) => {
    if (action === null) return;
    if (k === loop) writer.markLoop();
    const { at } = writer.replayer.states[process] as LineState;
    if (crashed.delete(process)) writer.event(k + 1, process, { kind: 'restart' });
    if (action.kind === 'crash') crashed.add(process);
    if (action.kind === 'call' && action.name === 'request') requests[process]! += 1;
    const time = action.kind === 'corrupt' ? 0 : k + 1;
    writer.event(time, process, action.kind === 'step' ? { kind: 'step', line: at } : action, coins);
  });
  return writer.finish(verdict, setup.entries === Infinity ? Math.max(...requests) : setup.entries);
}
