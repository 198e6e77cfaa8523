import type { Pid } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';
import type { TraceEvent } from '../core/trace.ts';
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
import type { Timeline } from './timeline.ts';

/** A run that comes about as it is looked at, and that can be interfered with: the same from the same scenario and interventions. */
export class SimulatedTimeline implements Timeline {
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly events: TraceEvent[] = [];
  readonly interventions: readonly ScheduledIntervention[];
  readonly refused = new Map<ScheduledIntervention, string>(); // those that could not be done, and why
  readonly #algorithm: EitherAlgorithm;
  readonly #scenario: Scenario;
  readonly #simulation: Simulation;
  readonly #states: StateHistory;
  readonly #interventionPoints: number[] = [0]; // positions at which one can interfere
  #next = 0; // of the interventions
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

  /** In virtual time: when the run is over, clocks have been corrected, too, which is no event. */
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

  /** Until something has happened, or nothing will. */
  #step(): void {
    const known = this.events.length;
    while (this.events.length === known && !this.#isOver) {
      const intervention = this.interventions[this.#next];
      if (intervention && intervention.at <= known) {
        this.#next += 1;
        const why = this.#simulation.intervene(intervention);
        if (why !== null) this.refused.set(intervention, why);
      } else this.#isOver = !this.#simulation.advance(1);
    }
    if (this.events.length > known) this.#interventionPoints.push(this.events.length);
  }

  stateAt(process: Pid, position: number): StateFields {
    return this.#states.at(process, position);
  }

  /** The first position from here at which one can interfere: some events happen in one go. */
  interventionPointFrom(position: number): number {
    this.advanceTo(position);
    return this.#interventionPoints[countBelow(this.#interventionPoints, position)] ?? this.events.length;
  }

  /** The run that follows if somebody does this here, in place of what happened; or why it cannot be done. */
  intervene(position: number, action: Intervention): SimulatedTimeline | string {
    const at = this.interventionPointFrom(position);
    const intervention = { ...action, at };
    const kept = this.interventions.filter((one) => one.at < at || (one.at === at && one.do === 'delay'));
    const stage = new SimulatedTimeline(this.#algorithm, this.#scenario, [...kept, intervention]);
    stage.advanceTo(at + 1);
    return stage.refused.get(stage.interventions.at(-1)!) ?? stage;
  }

  /** The run without one of the things done to it. */
  withoutIntervention(intervention: ScheduledIntervention): SimulatedTimeline {
    const kept = this.interventions.filter((one) => one !== intervention);
    return new SimulatedTimeline(this.#algorithm, this.#scenario, kept);
  }
}
