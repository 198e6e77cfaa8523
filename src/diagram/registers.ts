import { countBelow } from '../core/rising.ts';
import type { TraceEvent } from '../core/trace.ts';

/** What an event did to a register, by the number of its lane among those of registers. */
export interface Touch {
  readonly kind: 'read' | 'write' | 'reset';
  readonly register: number;
  readonly value: number;
}

/** The registers of a run on shared memory, and what they held. */
export class Registers {
  readonly names: readonly string[];
  readonly #lanes: ReadonlyMap<string, number>;
  readonly #writes: number[][]; // events that changed each
  readonly #values: number[][]; // what it held at first, and after each of them
  readonly #accesses = { read: [] as number[], write: [] as number[] }; // the events that make them

  constructor(initial: readonly { readonly register: string; readonly value: number }[]) {
    this.names = initial.map(({ register }) => register);
    this.#lanes = new Map(this.names.map((name, k) => [name, k]));
    this.#writes = initial.map(() => []);
    this.#values = initial.map(({ value }) => [value]);
  }

  add(index: number, event: TraceEvent): void {
    for (const { kind, register, value } of this.touched(event)) {
      if (kind !== 'reset') this.#accesses[kind].push(index);
      if (kind === 'read') continue;
      this.#writes[register]!.push(index);
      this.#values[register]!.push(value);
    }
  }

  /** What a register holds when so many events have happened. */
  valueAt(register: number, position: number): number {
    return this.#values[register]![countBelow(this.#writes[register]!, position)]!;
  }

  /** The event that gave a register what it holds then; null if none has. */
  changedBy(register: number, position: number): number | null {
    return this.#writes[register]![countBelow(this.#writes[register]!, position) - 1] ?? null;
  }

  /** How many accesses of a kind there have been. */
  madeBefore(kind: 'read' | 'write', position: number): number {
    return countBelow(this.#accesses[kind], position);
  }

  touched({ outputs }: TraceEvent): Touch[] {
    if (this.names.length === 0) return [];
    return outputs.flatMap((output) => {
      if (output.kind !== 'read' && output.kind !== 'write' && output.kind !== 'reset') return [];
      const register = this.#lanes.get(output.register);
      return register === undefined ? [] : [{ kind: output.kind, register, value: output.value }];
    });
  }
}
