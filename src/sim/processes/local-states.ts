import type { Pid } from '../../core/algorithm.ts';

type Column = Uint8Array | Float64Array | unknown[];
type ColumnKind = 'flag' | 'number' | 'any';

const many = 4096; // processes from which columns are used
const checkedRun = { n: 100, events: 1000 }; // states are checked in the first events of small runs,
const mostRecorded = 1000; // and throughout recorded runs of at most this many processes

/** The local states: an object for each process, or columns if there are many processes and nothing watches the run. */
export class LocalStates {
  readonly #n: number;
  readonly #objects: object[] = [];
  readonly #columns: ColumnarState | null;
  checksLeft: number; // how many more events are followed by a check that the state is plain data

  constructor(
    n: number,
    { isWatched, isRecorded }: { readonly isWatched: boolean; readonly isRecorded: boolean },
    init: (i: Pid) => object,
  ) {
    this.#n = n;
    this.#columns = isWatched || n < many ? null : new ColumnarState(n, init(0));
    for (let i = 0; i < n; i += 1) this.set(i, init(i));
    if (isRecorded) this.checksLeft = n <= mostRecorded ? Infinity : 0;
    else this.checksLeft = n <= checkedRun.n ? checkedRun.events : 0;
  }

  /** Whether to check the state after this event. Counts the check. */
  shouldCheck(): boolean {
    if (this.checksLeft === 0) return false;
    this.checksLeft -= 1;
    return true;
  }

  /** The state of process i. All processes may share one object, so it is valid only until the next call. */
  at(i: Pid): object {
    if (this.#columns === null) return this.#objects[i]!;
    this.#columns.moveTo(i);
    return this.#columns;
  }

  set(i: Pid, state: object): void {
    if (this.#columns === null) this.#objects[i] = state;
    else {
      this.#columns.moveTo(i);
      this.#columns.write(state);
    }
  }

  all(): readonly object[] {
    if (this.#columns === null) return this.#objects;
    return Array.from({ length: this.#n }, (_, i) => ({ ...this.at(i) }));
  }
}

/**
 * States field by field instead of object by object: a boolean takes a byte, and the states of neighbours on a ring lie side by side.
 * Handlers see one object, with the fields of the current process. Its fields are those of the initial state and never change. A value
 * that a column cannot hold widens the column.
 */
class ColumnarState {
  readonly #columns: Column[] = [];
  #current: Pid = 0;

  constructor(n: number, first: object) {
    Object.entries(first).forEach(([key, value], k) => {
      const kind = typeof value === 'boolean' ? 'flag' : typeof value === 'number' ? 'number' : 'any';
      this.#columns.push(
        kind === 'flag' ? new Uint8Array(n) : kind === 'number' ? new Float64Array(n) : Array(n).fill(null),
      );
      Object.defineProperty(this, key, ColumnarState.#accessor(k, kind, key));
    });
    Object.preventExtensions(this);
  }

  moveTo(i: Pid): void {
    this.#current = i;
  }

  /** Assigns every field, without looking each one up by name. */
  write(state: object): void {
    const values = Object.values(state);
    for (let k = 0; k < this.#columns.length; k += 1) {
      const column = this.#columns[k]!;
      const value: unknown = values[k];
      if (column instanceof Uint8Array && typeof value === 'boolean') column[this.#current] = value ? 1 : 0;
      else if (column instanceof Float64Array && typeof value === 'number') column[this.#current] = value;
      else if (Array.isArray(column)) column[this.#current] = value;
      else Object.assign(this, state);
    }
  }

  // Shared by all runs: equal functions give equal object shapes, which the engine has already compiled.
  static readonly #accessors = new Map<string, PropertyDescriptor>();

  static #accessor(k: number, kind: ColumnKind, key: string): PropertyDescriptor {
    const name = `${k} ${kind} ${key}`;
    const known = ColumnarState.#accessors.get(name);
    if (known) return known;
    const made = { flag: ColumnarState.#flag, number: ColumnarState.#number, any: ColumnarState.#any }[kind](
      k,
      key,
    );
    const accessor = { ...made, configurable: true, enumerable: true };
    ColumnarState.#accessors.set(name, accessor);
    return accessor;
  }

  static #flag(k: number, key: string): PropertyDescriptor & ThisType<ColumnarState> {
    return {
      get() {
        return (this.#columns[k] as Uint8Array)[this.#current] === 1;
      },
      set(value: unknown) {
        const column = this.#columns[k] as Uint8Array;
        if (typeof value === 'boolean') column[this.#current] = value ? 1 : 0;
        else
          this.#widen(
            k,
            key,
            Array.from(column, (flag) => flag === 1),
            value,
          );
      },
    };
  }

  static #number(k: number, key: string): PropertyDescriptor & ThisType<ColumnarState> {
    return {
      get() {
        return (this.#columns[k] as Float64Array)[this.#current];
      },
      set(value: unknown) {
        const column = this.#columns[k] as Float64Array;
        if (typeof value === 'number') column[this.#current] = value;
        else this.#widen(k, key, Array.from(column), value);
      },
    };
  }

  static #any(k: number): PropertyDescriptor & ThisType<ColumnarState> {
    return {
      get() {
        return (this.#columns[k] as unknown[])[this.#current];
      },
      set(value: unknown) {
        (this.#columns[k] as unknown[])[this.#current] = value;
      },
    };
  }

  #widen(k: number, key: string, column: unknown[], value: unknown): void {
    column[this.#current] = value;
    this.#columns[k] = column;
    Object.defineProperty(this, key, ColumnarState.#accessor(k, 'any', key));
  }
}
