// The messages between the page and the worker that runs algorithms. All of it is plain data.
import type { Trace, TraceEvent } from '../../core/trace.ts';
import type { InitialRegisters } from '../../diagram/index.ts';
import type { Intervention } from '../../sim/index.ts';
import type { BoundsStatus, MeasuringPlan, ScheduledIntervention } from '../../timeline/index.ts';

/** An algorithm of the catalogue, or the compiled code of one from the editor. */
export interface AlgorithmRef {
  readonly name: string;
  readonly code?: string;
}

export interface LabScenario {
  readonly fields: Readonly<Record<string, string>>;
  readonly interventions: readonly ScheduledIntervention[];
}

/** Where a run comes from: a scenario, a trace, or an existing run with one more intervention. */
export type RunSource =
  | { readonly kind: 'scenario'; readonly scenario: LabScenario }
  | { readonly kind: 'trace'; readonly trace: Trace }
  | {
      readonly kind: 'act';
      readonly run: number;
      readonly scenario: LabScenario; // of that run
      readonly position: number;
      readonly action: Intervention;
    };

export type RunWorkerRequest =
  | {
      readonly kind: 'begin';
      readonly run: number; // its id from now on
      readonly keeps: number | null; // the displayed run; the worker drops all others
      readonly algorithm: AlgorithmRef;
      readonly runSource: RunSource;
      readonly upTo: number; // events in the first chunk
    }
  | { readonly kind: 'more'; readonly run: number; readonly upTo: number };

/** The fields of a state that an event changed, undefined if removed; null if it changed none. */
export type StateChange = Readonly<Record<string, unknown>> | null;

/** The next part of a run. */
export interface RunChunk {
  readonly events: readonly TraceEvent[];
  readonly changes: readonly StateChange[]; // by event, in the state of its process
  readonly boundsStatuses: readonly BoundsStatus[];
  readonly refused: readonly (readonly [intervention: number, why: string])[];
  readonly verdict: string | null; // null: the run continues
  readonly endTime: number | null; // in virtual time; null: the run continues, or its end is not known
}

export interface RunStart {
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly interventions: readonly ScheduledIntervention[] | null; // null: a recorded run
  readonly states: readonly object[]; // initial, by process
  readonly memory: InitialRegisters; // initial values of the registers
  readonly measuring: MeasuringPlan;
  readonly position: number | null; // where the page starts, unless it chose
  readonly chunk: RunChunk;
}

export type RunWorkerReply =
  | ({ readonly kind: 'began' } & RunStart)
  | { readonly kind: 'chunk'; readonly chunk: RunChunk }
  | { readonly kind: 'refused'; readonly why: string };

export type ToRunWorker = { readonly id: number; readonly request: RunWorkerRequest };
export type FromRunWorker = 'ready' | { readonly id: number; readonly reply: RunWorkerReply };
