import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { happening, outputsText, type Trace, type TraceEvent } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { didText, parseFields, prepare, Replayer, type Setup } from '../sim/index.ts';
import { parseInterventions } from './intervention.ts';
import { Remembered } from './remembered.ts';
import { type Show, Stage } from './stage.ts';

/** A run that has been, wherever: executed again from its trace. */
export class Recorded implements Show {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly events: readonly TraceEvent[];
  readonly isOver = true;
  readonly verdict: string;
  readonly #states: Remembered;

  constructor(algorithm: EitherAlgorithm, trace: Trace) {
    this.setup = prepare(algorithm, parseFields(trace.scenario));
    const replayer = new Replayer(this.setup);
    this.head = trace.scenario;
    this.events = trace.events;
    this.verdict = trace.verdict;
    this.#states = new Remembered(replayer.states, (state) => replayer.machine.fieldsOf(state));
    trace.events.forEach((event, index) => {
      const did = didText(replayer.step(event));
      const said = outputsText(event.outputs);
      if (did !== said)
        throw new InputError(
          `line ${trace.firstLine + index} says '${said}', but ${algorithm.name} does '${did}'`,
        );
      this.#states.happened(index, event.process);
      this.#states.became(event.process, replayer.states[event.process]!);
    });
  }

  reach(position: number): boolean {
    return position <= this.events.length;
  }

  stateAt(process: Pid, position: number): Readonly<Record<string, unknown>> {
    return this.#states.at(process, position);
  }
}

/** A trace opened: a run that can be interfered with where its head tells the whole of it, a recorded one otherwise. */
export function open(algorithm: EitherAlgorithm, trace: Trace): Stage | Recorded {
  const stage = new Stage(
    algorithm,
    parseFields(trace.scenario),
    parseInterventions(trace.scenario.hand ?? ''),
  );
  stage.reach(trace.events.length);
  const isSame =
    stage.events.length === trace.events.length &&
    trace.events.every((event, i) => isAlike(event, stage.events[i]!));
  return isSame ? stage : new Recorded(algorithm, trace);
}

/** But for the stamps of whatever clock it was observed with. */
const isAlike = (a: TraceEvent, b: TraceEvent): boolean =>
  a.time === b.time && a.process === b.process && happening(a) === happening(b);
