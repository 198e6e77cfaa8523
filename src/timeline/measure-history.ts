import type { Message, Problems } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Measures } from '../sim/index.ts';
import { measureBoundsOf } from '../sim/measures/judged-bounds.ts';
import type { MeasureBound } from '../sim/measures/measures.ts';
import { type MeasuredRun, measuredRunOf, RunMeasures } from '../sim/measures/run-measures.ts';
import { timedCircumstancesOf } from '../sim/scenario/kept-assumptions.ts';
import type { Setup } from '../sim/scenario/setup.ts';

/** What is measured in a run, and the bounds on it. Plain data. */
export interface MeasuringPlan extends MeasuredRun {
  readonly ids: ArrayLike<number>; // by position; positions if processes have no ids
  readonly isJudged: boolean; // the bounds of the paper apply
  readonly bounds: readonly MeasureBound[];
}

/** Returns the plan of a run. A run that somebody changed by hand is not judged. */
export function measuringPlanOf(setup: Setup, kinds: readonly string[], isChanged: boolean): MeasuringPlan {
  const isJudged = !isChanged && timedCircumstancesOf(setup) !== null;
  const bounds = isJudged ? measureBoundsOf(setup) : [];
  return { ...measuredRunOf(setup, kinds), ids: setup.ids, isJudged, bounds };
}

type Elected = Problems['election']['event'] & { type: 'elected' };
type Electing = Problems['election']['event'] & { type: 'electing' };

const leastInterval = 256; // events between two checkpoints

/** The measures of a run at every position. Positions count events: 0 is before the first. */
export class MeasureHistory {
  readonly plan: MeasuringPlan;
  readonly #events: TraceEvent[] = [];
  readonly #kinds: ReadonlyMap<string, number>;
  readonly #chains = new Map<number, number>(); // by message: see `RunMeasures.sent`
  readonly #interval: number;
  readonly #latest: RunMeasures; // after all events
  readonly #checkpoints: RunMeasures[]; // the k-th is after k intervals
  #cursor: { at: number; readonly measured: RunMeasures }; // after the first `at` events

  constructor(plan: MeasuringPlan) {
    this.plan = plan;
    this.#kinds = new Map(plan.kinds.map((kind, k) => [kind, k]));
    this.#interval = Math.max(leastInterval, plan.n); // a checkpoint has a few numbers of each process
    this.#latest = new RunMeasures(plan);
    this.#checkpoints = [this.#latest.copy()];
    this.#cursor = { at: 0, measured: this.#latest.copy() };
  }

  add(event: TraceEvent): void {
    this.#events.push(event);
    this.#measure(this.#latest, event);
    if (this.#events.length % this.#interval === 0) this.#checkpoints.push(this.#latest.copy());
  }

  /** Returns the measures after the first `position` events. */
  at(position: number): Measures {
    const { bounds } = this.plan;
    if (position >= this.#events.length) return this.#latest.result(bounds);
    const checkpoint = Math.floor(position / this.#interval);
    const from = checkpoint * this.#interval;
    if (this.#cursor.at < from || this.#cursor.at > position)
      this.#cursor = { at: from, measured: this.#checkpoints[checkpoint]!.copy() };
    const cursor = this.#cursor;
    for (; cursor.at < position; cursor.at += 1) this.#measure(cursor.measured, this.#events[cursor.at]!);
    return cursor.measured.result(bounds);
  }

  /** Reports an event as the simulation does: first what happened to the process, then what its handler did. */
  #measure(measured: RunMeasures, { time, process, input, outputs }: TraceEvent): void {
    const { mutex } = measured;
    const isNotice = ({ type }: Message) => type === this.plan.crashNotice;
    if (input.kind === 'recv') {
      const kind = this.#kinds.get(input.message.type)!;
      if (!isNotice(input.message)) measured.received(process, this.#chains.get(input.serial) ?? 0, kind);
    } else if (input.kind === 'crash') mutex?.crashed(process);
    else if (input.kind === 'call') {
      if (input.name === 'request') mutex?.requested(process, time);
      else if (input.name === 'release') mutex?.released(process, time);
      else if (input.name === 'start') measured.started(time);
    }
    for (const output of outputs) {
      if (output.kind === 'send') {
        const { serial, message } = output;
        if (isNotice(message)) continue;
        this.#chains.set(serial, measured.sent(process, this.#kinds.get(message.type)!, message));
      } else if (output.kind === 'emit') {
        if (output.event.type === 'entered') mutex?.entered(process, time);
        else if (output.event.type === 'electing') measured.tookPart(time, (output.event as Electing).round);
        else if (output.event.type === 'elected') {
          const { leader, round } = output.event as Elected;
          const own = this.plan.ids[process]!;
          const id = leader === 'me' ? own : leader === 'another' ? null : leader; // the round knows whom the first named
          measured.learned(process, time, id, id === own, round);
        }
      }
    }
  }
}
