import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { isShared } from '../core/shared.ts';
import { happening, outputText, type Trace, type TraceEvent } from '../core/trace.ts';
import { parseFields, prepare, prepareShared, Replayer, SharedReplayer } from '../sim/index.ts';
import { parseInterventions } from './intervention.ts';
import { lookAt, Remembered } from './remembered.ts';
import { type SetupOf, type Show, Stage, type Subject } from './stage.ts';

/** A run that has been, wherever: executed again from its trace. */
export class Recorded<A extends Subject = AnyAlgorithm> implements Show<A> {
  readonly setup: SetupOf<A>;
  readonly head: Readonly<Record<string, string>>;
  readonly events: readonly TraceEvent[];
  readonly isOver = true;
  readonly verdict: string;
  readonly #states: Remembered;

  constructor(algorithm: A, trace: Trace) {
    const { setup, step, stateOf } = replayerOf(algorithm, trace);
    this.setup = setup as SetupOf<A>;
    this.head = trace.scenario;
    this.events = trace.events;
    this.verdict = trace.verdict;
    this.#states = new Remembered(
      Array.from({ length: setup.n }, (_, i) => stateOf(i)),
      lookAt(algorithm),
    );
    trace.events.forEach((event, index) => {
      const did = step(event);
      const said = event.outputs.map(outputText).join('; ');
      if (did !== said)
        throw new InputError(
          `line ${trace.firstLine + index} says '${said}', but ${algorithm.name} does '${did}'`,
        );
      this.#states.happened(index, event.process);
      this.#states.became(event.process, stateOf(event.process));
    });
  }

  reach(position: number): boolean {
    return position <= this.events.length;
  }

  stateAt(process: Pid, position: number): Readonly<Record<string, unknown>> {
    return this.#states.at(process, position);
  }
}

function replayerOf(algorithm: Subject, { scenario }: Trace) {
  const fields = parseFields(scenario);
  if (isShared(algorithm)) {
    const setup = prepareShared(algorithm, fields);
    const replayer = new SharedReplayer(setup);
    const stateOf = (i: Pid): unknown => replayer.world.processes[i];
    return { setup, step: (event: TraceEvent) => replayer.step(event), stateOf };
  }
  const setup = prepare(algorithm, fields);
  const replayer = new Replayer(setup);
  const stateOf = (i: Pid): unknown => replayer.states[i];
  return { setup, step: (event: TraceEvent) => replayer.step(event), stateOf };
}

/** A trace opened: a run that can be interfered with where its head tells the whole of it, a recorded one otherwise. */
export function open<A extends Subject>(algorithm: A, trace: Trace): Stage<A> | Recorded<A> {
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
