import type { Pid } from '../core/algorithm.ts';
import { type Input, inputText } from '../core/trace.ts';
import { SharedReplayer } from '../sim/shared-replay.ts';
import { describeShared, type SharedSetup } from '../sim/shared-scenario.ts';
import { textOf } from './counterexample.ts';
import type { Step } from './medium.ts';
import type { SharedMove } from './programs.ts';

/** The trace of a run on shared memory. `loop`: the number of steps after which it goes round for ever. */
export function sharedTraceOf(
  setup: SharedSetup,
  steps: readonly Step<SharedMove>[],
  verdict: string,
  loop?: number,
): string {
  const replayer = new SharedReplayer(setup);
  const crashed = new Set<Pid>();
  const lines: string[] = [];
  let loopLine: number | null = null;
  const happens = (time: number, process: Pid, input: Input) => {
    const did = replayer.step({ time, process, input, outputs: [] });
    lines.push(`${time} ${process} ${inputText(input)}${did === '' ? '' : ` => ${did}`}`);
  };
  steps.forEach(({ process, move }, k) => {
    if (move === null) return;
    if (k === loop) loopLine = lines.length;
    const { at } = replayer.world.processes[process]!;
    if (crashed.delete(process)) happens(k + 1, process, { kind: 'restart' });
    if (move.kind === 'crash') crashed.add(process);
    happens(k + 1, process, move.kind === 'step' ? { kind: 'step', line: at } : move);
  });
  const entries = setup.entries === Infinity ? mostRequests(setup, steps) : setup.entries;
  const scenario = describeShared({ ...setup, entries });
  return textOf({ scenario, loop: loopLine, lines, messages: 0, verdict });
}

function mostRequests({ n }: SharedSetup, steps: readonly Step<SharedMove>[]): number {
  const requests = Array<number>(n).fill(0);
  for (const { process, move } of steps)
    if (move?.kind === 'call' && move.name === 'request') requests[process]! += 1;
  return Math.max(...requests);
}
