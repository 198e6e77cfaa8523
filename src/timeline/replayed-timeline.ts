import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { eventText, outputsText, type Trace, type TraceEvent } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { parseScenario, prepare, Replayer, type Setup, stepText } from '../sim/index.ts';
import { parseInterventions } from './scheduled-intervention.ts';
import { type StateFields, StateHistory } from './state-history.ts';
import type { Timeline } from './timeline.ts';
import { SimulatedTimeline } from './timeline.ts';

/** A recorded run, replayed from its trace. */
export class ReplayedTimeline implements Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly events: readonly TraceEvent[];
  readonly isOver = true;
  readonly verdict: string;
  readonly #states: StateHistory;

  constructor(algorithm: EitherAlgorithm, trace: Trace) {
    this.setup = prepare(algorithm, parseScenario(trace.scenario));
    const replayer = new Replayer(this.setup);
    this.head = trace.scenario;
    this.events = trace.events;
    this.verdict = trace.verdict;
    this.#states = new StateHistory(replayer.states, (state) => replayer.machine.fieldsOf(state));
    trace.events.forEach((event, index) => {
      const actual = stepText(replayer.step(event));
      const expected = outputsText(event.outputs);
      if (actual !== expected)
        throw new InputError(
          `line ${trace.firstLine + index} says '${expected}', but ${algorithm.name} does '${actual}'`,
        );
      this.#states.addEvent(index, event.process);
      this.#states.setState(event.process, replayer.states[event.process]!);
    });
  }

  advanceTo(position: number): boolean {
    return position <= this.events.length;
  }

  stateAt(process: Pid, position: number): StateFields {
    return this.#states.at(process, position);
  }
}

/** Opens a trace: as a simulated timeline if its head reproduces the same events, as a replayed one otherwise. */
export function openTrace(algorithm: EitherAlgorithm, trace: Trace): SimulatedTimeline | ReplayedTimeline {
  const simulated = new SimulatedTimeline(
    algorithm,
    parseScenario(trace.scenario),
    parseInterventions(trace.scenario.hand ?? ''),
  );
  simulated.advanceTo(trace.events.length);
  const isSame =
    simulated.events.length === trace.events.length &&
    trace.events.every((event, i) => isAlike(event, simulated.events[i]!));
  return isSame ? simulated : new ReplayedTimeline(algorithm, trace);
}

/** Whether two events are equal, apart from their stamps. */
const isAlike = (a: TraceEvent, b: TraceEvent): boolean =>
  a.time === b.time && a.process === b.process && eventText(a) === eventText(b);
