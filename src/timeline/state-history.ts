import type { Pid } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';

/** The fields of one local state, as a reader sees them. */
export type StateFields = Readonly<Record<string, unknown>>;

/** The local states of a run at every position. Unchanged parts are stored once. */
export class StateHistory {
  readonly #fieldsOf: (state: object) => object;
  readonly #events: number[][]; // of each process, by number
  readonly #states: StateFields[][]; // before the first of them, and after each

  /** `fieldsOf` turns a state into what a reader sees. */
  constructor(initial: readonly object[], fieldsOf: (state: object) => object = (state) => state) {
    this.#fieldsOf = fieldsOf;
    this.#events = initial.map(() => []);
    this.#states = initial.map((state) => [structurallyShared(undefined, fieldsOf(state)) as StateFields]);
  }

  /** Adds an event of a process. Its state stays the same until `setState`. */
  addEvent(event: number, process: Pid): void {
    this.#events[process]!.push(event);
    this.#states[process]!.push(this.#states[process]!.at(-1)!);
  }

  /** Sets the state of a process after its last event. */
  setState(process: Pid, state: object): void {
    const states = this.#states[process]!;
    states[states.length - 1] = structurallyShared(states.at(-1), this.#fieldsOf(state)) as StateFields;
  }

  /** The state of a process after the first `events` events. */
  at(process: Pid, events: number): StateFields {
    return this.#states[process]![countBelow(this.#events[process]!, events)]!;
  }
}

/** Copies plain data, sharing unchanged parts with an earlier copy. */
function structurallyShared(before: unknown, now: unknown): unknown {
  if (typeof now !== 'object' || now === null || before === now) return now;
  if (Array.isArray(now)) {
    const old = Array.isArray(before) ? before : [];
    const copy = now.map((item, i) => structurallyShared(old[i], item));
    return copy.length === old.length && copy.every((item, i) => item === old[i]) ? old : copy;
  }
  const old = (typeof before === 'object' && before !== null ? before : {}) as StateFields;
  const entries = Object.entries(now).map(
    ([key, item]) => [key, structurallyShared(old[key], item)] as const,
  );
  const isSame =
    before &&
    Object.keys(old).length === entries.length &&
    entries.every(([k, v]) => k in old && v === old[k]);
  return isSame ? old : Object.fromEntries(entries);
}
