import type { Pid } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';

export type StateFields = Readonly<Record<string, unknown>>;

/** The local states of a run at every moment. What an event leaves as it was is kept once. */
export class StateHistory {
  readonly #look: (state: object) => object;
  readonly #events: number[][]; // of each process, by their numbers
  readonly #states: StateFields[][]; // before the first of them, and after each

  /** `look`: a state as people read it. */
  constructor(initial: readonly object[], look: (state: object) => object = (state) => state) {
    this.#look = look;
    this.#events = initial.map(() => []);
    this.#states = initial.map((state) => [structurallyShared(undefined, look(state)) as StateFields]);
  }

  /** An event of a process; by itself it changes nothing. */
  addEvent(event: number, process: Pid): void {
    this.#events[process]!.push(event);
    this.#states[process]!.push(this.#states[process]!.at(-1)!);
  }

  /** What the last event of a process has made of its state. */
  setState(process: Pid, state: object): void {
    const states = this.#states[process]!;
    states[states.length - 1] = structurallyShared(states.at(-1), this.#look(state)) as StateFields;
  }

  /** The state of a process when so many events have happened. */
  at(process: Pid, events: number): StateFields {
    return this.#states[process]![countBelow(this.#events[process]!, events)]!;
  }
}

/** A copy of plain data that has in common with an earlier one what did not change. */
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
