import { countBelow } from '../core/binary-search.ts';
import type { TraceEvent, TraceOutput } from '../core/trace.ts';

/** An access to a register. */
export interface LaneAccess {
  /** `reset`: a crash reset the register, or a corruption gave it any value. */
  readonly kind: 'read' | 'write' | 'reset';
  /** The index of its lane: its place in {@link RegisterHistory.names}. */
  readonly register: number;
  /** The value read or written. */
  readonly value: number;
}

/** The registers of a run, with their initial values. */
export type InitialRegisters = readonly { readonly register: string; readonly value: number }[];

/** The registers that events access. The initial value of a register that is written first is unknown and taken as 0. */
export function initialRegistersIn(events: readonly TraceEvent[]): InitialRegisters {
  const first = new Map<string, number>();
  for (const output of events.flatMap(({ outputs }) => outputs))
    if (isAccess(output) && !first.has(output.register))
      first.set(output.register, output.kind === 'read' ? output.value : 0);
  return [...first].map(([register, value]) => ({ register, value }));
}

export const isAccess = (output: TraceOutput): output is TraceOutput & { kind: 'read' | 'write' | 'reset' } =>
  output.kind === 'read' || output.kind === 'write' || output.kind === 'reset';

/**
 * The registers of a run on shared memory, and their values over time. A position is the number of events before it.
 * @example
 * import { dekker } from 'batonjs-lab/algorithms';
 * import { RegisterHistory } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { events } = simulate(dekker, { seed: 1, events: true }).trace;
 * const history = new RegisterHistory([{ register: 'c[0]', value: 1 }]);
 * events.forEach((event, index) => history.add(index, event));
 * [history.valueAt(0, 2), history.valueAt(0, 3), history.changedBy(0, 3)]; // → [1, 0, 2]
 * history.madeBefore('write', 3); // → 1
 * history.accessesOf(events[2]!); // → [{ kind: 'write', register: 0, value: 0 }]
 * history.changesAt(3, events[2]!); // → [{ field: 'c[0]', before: '1', after: '0' }]
 */
export class RegisterHistory {
  /** The names of the registers. A register is identified by its index here. */
  readonly names: readonly string[];
  readonly #lanes: ReadonlyMap<string, number>;
  readonly #writes: number[][]; // events that changed each register
  readonly #values: number[][]; // the initial value, and the value after each of them
  readonly #accesses = { read: [] as number[], write: [] as number[] }; // by event

  constructor(initial: InitialRegisters) {
    this.names = initial.map(({ register }) => register);
    this.#lanes = new Map(this.names.map((name, k) => [name, k]));
    this.#writes = initial.map(() => []);
    this.#values = initial.map(({ value }) => [value]);
  }

  /** Adds the event with this number. Add events in order; registers that were not given to the constructor are ignored. */
  add(index: number, event: TraceEvent): void {
    for (const { kind, register, value } of this.accessesOf(event)) {
      if (kind !== 'reset') this.#accesses[kind].push(index);
      if (kind === 'read') continue;
      this.#writes[register]!.push(index);
      this.#values[register]!.push(value);
    }
  }

  /** Returns the value of a register at a position. */
  valueAt(register: number, position: number): number {
    return this.#values[register]![countBelow(this.#writes[register]!, position)]!;
  }

  /** Returns the event that wrote the value of a register at a position; null if it is the initial value. */
  changedBy(register: number, position: number): number | null {
    return this.#writes[register]![countBelow(this.#writes[register]!, position) - 1] ?? null;
  }

  /** Returns how many accesses of a kind were made before a position. */
  madeBefore(kind: 'read' | 'write', position: number): number {
    return countBelow(this.#accesses[kind], position);
  }

  /** Returns the registers that an event changed, with their values as texts. The event is the last one before the position. */
  changesAt(position: number, event: TraceEvent): { field: string; before: string; after: string }[] {
    return this.accessesOf(event).flatMap(({ register }) => {
      const [before, after] = [this.valueAt(register, position - 1), this.valueAt(register, position)];
      return before === after
        ? []
        : [{ field: this.names[register]!, before: `${before}`, after: `${after}` }];
    });
  }

  /** Returns the accesses that an event makes. */
  accessesOf({ outputs }: TraceEvent): LaneAccess[] {
    if (this.names.length === 0) return [];
    return outputs.flatMap((output) => {
      if (!isAccess(output)) return [];
      const register = this.#lanes.get(output.register);
      return register === undefined ? [] : [{ kind: output.kind, register, value: output.value }];
    });
  }
}
