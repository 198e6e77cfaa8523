// What the page and the thread that runs algorithms say to each other. All of it is plain data.
import type { Trace, TraceEvent } from '../../core/trace.ts';
import type { InitialRegisters } from '../../diagram/index.ts';
import type { Intervention } from '../../sim/index.ts';
import type { BoundsStatus, ScheduledIntervention } from '../../timeline/index.ts';

/** What runs: one of the catalogue, or what somebody wrote, compiled. */
export interface AlgorithmRef {
  readonly name: string;
  readonly code?: string;
}

export interface LabScenario {
  readonly fields: Readonly<Record<string, string>>;
  readonly interventions: readonly ScheduledIntervention[];
}

/** What a run is to be: as a scenario says; as a trace says; or the run that follows if somebody does this in another. */
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
      readonly run: number; // its number from now on
      readonly keeps: number | null; // the run that is looked at; all others can be forgotten
      readonly algorithm: AlgorithmRef;
      readonly runSource: RunSource;
      readonly upTo: number; // events to begin with
    }
  | { readonly kind: 'more'; readonly run: number; readonly upTo: number };

/** The fields of a state that an event has changed, undefined if they are gone; null if nothing has. */
export type StateChange = Readonly<Record<string, unknown>> | null;

/** What has become known of a run. */
export interface RunChunk {
  readonly events: readonly TraceEvent[];
  readonly changes: readonly StateChange[]; // by event, of the process it happened to
  readonly boundsStatuses: readonly BoundsStatus[];
  readonly refused: readonly (readonly [intervention: number, why: string])[];
  readonly verdict: string | null; // null: it goes on
  readonly endTime: number | null; // in virtual time; null: it goes on, or that is not known
}

export interface RunStart {
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly interventions: readonly ScheduledIntervention[] | null; // null: recorded, nobody can interfere
  readonly states: readonly object[]; // at first
  readonly memory: InitialRegisters; // the same of the registers, if there are any
  readonly position: number | null; // where to look, if the page does not know
  readonly chunk: RunChunk;
}

export type RunWorkerReply =
  | ({ readonly kind: 'began' } & RunStart)
  | { readonly kind: 'part'; readonly part: RunChunk }
  | { readonly kind: 'refused'; readonly why: string };

export type ToRunWorker = { readonly id: number; readonly request: RunWorkerRequest };
export type FromRunWorker = 'ready' | { readonly id: number; readonly answer: RunWorkerReply };
