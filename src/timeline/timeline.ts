import type { Pid } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';
import { type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import {
  type Intervention,
  type Scenario,
  type Setup,
  Simulation,
  traceHead,
  verdictText,
  type WatchOptions,
} from '../sim/index.ts';
import { interventionsText, type ScheduledIntervention } from './scheduled-intervention.ts';
import { type StateFields, StateHistory } from './state-history.ts';

/** A run that can be viewed forwards and backwards. Positions count events: 0 is before the first. */
export interface Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly events: readonly TraceEvent[]; // those known so far
  readonly isOver: boolean; // no further events follow
  readonly verdict: string | null; // null until the run is over; then `ok`, or the violation and its cause
  /** Makes the first `position` events known. Returns false if the run has fewer. */
  advanceTo(position: number): boolean;
  stateAt(process: Pid, position: number): StateFields;
}

/** The trace of the events known so far. */
export const traceOfTimeline = (timeline: Pick<Timeline, 'head' | 'events' | 'verdict'>): Trace =>
  traceOf(timeline.head, timeline.events, timeline.verdict ?? 'it goes on');

/** A run that is simulated as far as it is viewed. The scenario and the interventions determine it. */
export class SimulatedTimeline implements Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly events: TraceEvent[] = [];
  readonly interventions: readonly ScheduledIntervention[];
  readonly refused = new Map<ScheduledIntervention, string>(); // interventions that were impossible, and why
  readonly #algorithm: EitherAlgorithm;
  readonly #scenario: Scenario;
  readonly #simulation: Simulation;
  readonly #states: StateHistory;
  readonly #interventionPoints: number[] = [0]; // positions at which an intervention can happen
  #next = 0; // index of the next intervention
  #isOver = false;

  constructor(
    algorithm: EitherAlgorithm,
    scenario: Scenario = {},
    interventions: readonly ScheduledIntervention[] = [],
  ) {
    this.#algorithm = algorithm;
    this.#scenario = scenario;
    this.interventions = [...interventions].sort((a, b) => a.at - b.at);
    const watch: WatchOptions = {
      record: (event) => {
        this.#states.addEvent(this.events.length, event.process);
        this.events.push(event);
      },
      observe: (process, state) => this.#states.setState(process, state),
    };
    this.#simulation = new Simulation(algorithm, scenario, watch);
    this.setup = this.#simulation.setup;
    const hand = interventionsText(this.interventions);
    this.head = { ...traceHead(this.setup), ...(hand !== '' && { hand }) };
    this.#states = new StateHistory(this.#simulation.states, (state) =>
      this.#simulation.machine.fieldsOf(state),
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Virtual time. It can be later than the last event: the end of a clock correction is no event. */
  get now(): number {
    return this.#simulation.now;
  }

  get verdict(): string | null {
    return this.#isOver ? verdictText(this.#simulation.result().violations) : null;
  }

  advanceTo(position: number): boolean {
    while (this.events.length < position && !this.#isOver) this.#step();
    return this.events.length >= position;
  }

  /** Simulates until at least one event has happened, or the run is over. */
  #step(): void {
    const known = this.events.length;
    while (this.events.length === known && !this.#isOver) {
      const intervention = this.interventions[this.#next];
      if (intervention && intervention.at <= known) {
        this.#next += 1;
        const refusal = this.#simulation.intervene(intervention);
        if (refusal !== null) this.refused.set(intervention, refusal);
      } else this.#isOver = !this.#simulation.advance(1);
    }
    if (this.events.length > known) this.#interventionPoints.push(this.events.length);
  }

  stateAt(process: Pid, position: number): StateFields {
    return this.#states.at(process, position);
  }

  /** The first position from here at which an intervention can happen: some events happen in one step. */
  interventionPointFrom(position: number): number {
    this.advanceTo(position);
    return this.#interventionPoints[countBelow(this.#interventionPoints, position)] ?? this.events.length;
  }

  /** The run after an intervention at this position, without the later ones; or why it is impossible. */
  intervene(position: number, action: Intervention): SimulatedTimeline | string {
    const at = this.interventionPointFrom(position);
    const intervention = { ...action, at };
    const kept = this.interventions.filter((one) => one.at < at || (one.at === at && one.do === 'delay'));
    const changed = new SimulatedTimeline(this.#algorithm, this.#scenario, [...kept, intervention]);
    changed.advanceTo(at + 1);
    return changed.refused.get(changed.interventions.at(-1)!) ?? changed;
  }

  /** The run without one of its interventions. */
  withoutIntervention(intervention: ScheduledIntervention): SimulatedTimeline {
    const kept = this.interventions.filter((one) => one !== intervention);
    return new SimulatedTimeline(this.#algorithm, this.#scenario, kept);
  }
}
