// What the page and the thread that runs algorithms say to each other. All of it is plain data.
import type { Trace, TraceEvent } from '../../core/trace.ts';
import type { Memory } from '../../diagram/index.ts';
import type { Action } from '../../sim/index.ts';
import type { Account, Intervention } from '../../stage/index.ts';

/** What runs: one of the catalogue, or what somebody wrote, compiled. */
export interface Named {
  readonly name: string;
  readonly code?: string;
}

export interface Scenario {
  readonly fields: Readonly<Record<string, string>>;
  readonly interventions: readonly Intervention[];
}

/** What a run is to be: as a scenario says; as a trace says; or the run that follows if somebody does this in another. */
export type Order =
  | { readonly kind: 'scenario'; readonly scenario: Scenario }
  | { readonly kind: 'trace'; readonly trace: Trace }
  | {
      readonly kind: 'act';
      readonly run: number;
      readonly scenario: Scenario; // of that run
      readonly position: number;
      readonly action: Action;
    };

export type Request =
  | {
      readonly kind: 'begin';
      readonly run: number; // its number from now on
      readonly keeps: number | null; // the run that is looked at; all others can be forgotten
      readonly subject: Named;
      readonly order: Order;
      readonly upTo: number; // events to begin with
    }
  | { readonly kind: 'more'; readonly run: number; readonly upTo: number };

/** The fields of a state that an event has changed, undefined if they are gone; null if nothing has. */
export type Change = Readonly<Record<string, unknown>> | null;

/** What has become known of a run. */
export interface Part {
  readonly events: readonly TraceEvent[];
  readonly changes: readonly Change[]; // by event, of the process it happened to
  readonly accounts: readonly Account[];
  readonly refused: readonly (readonly [intervention: number, why: string])[];
  readonly verdict: string | null; // null: it goes on
  readonly overAt: number | null; // in virtual time; null: it goes on, or that is not known
}

export interface Beginning {
  readonly head: Readonly<Record<string, string>>; // of its trace
  readonly interventions: readonly Intervention[] | null; // null: recorded, nobody can interfere
  readonly states: readonly object[]; // at first
  readonly memory: Memory; // the same of the registers, if there are any
  readonly position: number | null; // where to look, if the page does not know
  readonly part: Part;
}

export type Answer =
  | ({ readonly kind: 'began' } & Beginning)
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'refused'; readonly why: string };

export type ToThread = { readonly id: number; readonly request: Request };
export type FromThread = 'ready' | { readonly id: number; readonly answer: Answer };
