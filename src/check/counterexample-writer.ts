import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { type Trace, type TraceEvent, type TraceInput, type TraceOutput, traceOf } from '../core/trace.ts';
import { Replayer } from '../sim/replay.ts';
import { setupFields } from '../sim/scenario/scenario-fields.ts';
import type { Setup } from '../sim/scenario/setup.ts';

/** Builds the trace of a run that a search found, by replaying it. */
export class CounterexampleWriter {
  readonly replayer: Replayer;
  readonly #setup: Setup;
  readonly #events: TraceEvent[] = [];
  #loop: number | null = null;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.replayer = new Replayer(setup);
  }

  /** Marks where the run begins to repeat without end. */
  markLoop(): void {
    this.#loop = this.#events.length;
  }

  /** Replays one event and returns its outputs. */
  event(
    time: number,
    process: Pid,
    input: TraceInput,
    coins: readonly number[] = [],
  ): readonly TraceOutput[] {
    const tossed = coins.map((value) => ({ kind: 'coin', value, options: 0 }) as const);
    const outputs = this.replayer.step({ time, process, input, outputs: tossed });
    if (typeof outputs === 'string') throw notDeterministic(this.#setup);
    this.#events.push({ time, process, input, outputs });
    return outputs;
  }

  finish(verdict: string, entries: number = this.#setup.entries): Trace {
    const head = setupFields({ ...this.#setup, entries });
    return traceOf({ ...head, ...(this.#loop !== null && { loop: `${this.#loop}` }) }, this.#events, verdict);
  }
}

/** The replay differs from what the search saw: a handler is not a function of its inputs. */
export const notDeterministic = ({ algorithm }: Setup): InputError =>
  new InputError(
    `${algorithm.name}: a handler does something else each time; let it depend on its state, its message and p.choose only`,
  );
