// The contract of algorithms that share memory instead of sending messages. A program is a table of lines. Each line makes
// exactly one atomic access, a read or a write of one register, and gives the next line. A line sees the memory only through
// that access, and the access is known before it is made. The exception is composite atomicity, where the paper assumes it: a
// composite line reads several registers and writes at most one, in one step.

import type { Bound, Pid, Plain } from './algorithm.ts';

/** The registers by name: single registers and arrays. An array that begins at 1 has null at 0. */
export type Memory = { [name: string]: number | (number | null)[] };

/** The local variables of a process. */
export type Locals = { readonly [name: string]: Plain };

/** What a process knows: its number and the number of processes. */
export interface SharedFacts {
  /** Its number. */
  readonly me: Pid;
  /** The number of processes. */
  readonly n: number;
}

/** What `scramble` may use besides: a choice of the run. */
interface Choose {
  /** Returns a number from 0 to options - 1. */
  choose(options: number): number;
}

/** Where a process is outside the lines of its program. */
export type Section = 'critical section' | 'noncritical section';

/** The index into an array; a single register has no `at`. */
type At<V, S> = V extends number
  ? { readonly at?: never }
  : { readonly at: number | ((s: Readonly<S>) => number) };

/** A line of a program. `goto` gives the next line; it receives the value read and may change local variables. `at` and `value` may not. */
export type Line<M extends Memory, S, L extends string> = {
  [R in keyof M]: At<M[R], S> & { readonly reads?: never; readonly writes?: never } & (
      | {
          readonly read: R;
          readonly write?: never;
          readonly goto: L | Section | ((value: number, s: S) => L | Section);
        }
      | {
          readonly write: R;
          readonly read?: never;
          readonly value: number | ((s: Readonly<S>) => number);
          readonly goto: L | Section | ((s: S) => L | Section);
        }
    );
}[keyof M];

/** A register of an array: the array's name, and the index. */
type Element<M> = {
  [R in keyof M]: M[R] extends number ? never : readonly [array: R, index: number];
}[keyof M];

/**
 * A line of composite atomicity: it reads registers and perhaps writes one, all in one step. `goto` gives the next line; it receives the
 * values read and may change local variables.
 */
export type CompositeLine<M extends Memory, S, L extends string> = {
  readonly read?: never;
  readonly write?: never;
  readonly at?: never;
  /** The registers that it reads. */
  readonly reads: readonly Element<M>[];
  /** The next line, or a function of the values read, in the order of `reads`. */
  readonly goto: L | Section | ((values: readonly number[], s: S) => L | Section);
} & (
  | { readonly writes?: never; readonly value?: never }
  | {
      /** The register that it may write. */
      readonly writes: Element<M>;
      /** Returns what it writes, or null if it writes nothing. */
      readonly value: (values: readonly number[], s: Readonly<S>) => number | null;
    }
);

/** The global state of a run, plain data: the registers, and the line and local variables of each process. */
export interface SharedWorld<M, S, L extends string> {
  /** The registers. */
  readonly memory: M;
  /** The line and the local variables of each process. */
  readonly processes: readonly { readonly at: L | Section; readonly s: S }[];
}

/**
 * An algorithm on shared memory: a program whose lines make one atomic access each. {@link sharedAlgorithm} checks it. See
 * [the contract](docs/reference/contract.md).
 */
export interface SharedAlgorithm<M extends Memory, S extends Locals, L extends string> {
  /** Its name, in lower case with hyphens. */
  readonly name: string;
  /** The problem that it solves. */
  readonly problem: 'mutex';
  /** Its paper, as `doi:…` or a citation. */
  readonly paper: string;
  /** How many processes it supports. Defaults to any number. */
  readonly processes?: {
    /** The fewest. */
    readonly min: number;
    /** The most. Defaults to no limit. */
    readonly max?: number;
  };
  /** What it assumes. */
  readonly assumes: {
    /**
     * `crash`: a process may stop at any line; the registers it owns then have their initial values. `corruption`: registers take any
     * values.
     */
    readonly failures: 'none' | 'crash' | 'corruption';
    /** `composite` if a line reads and writes in one step. Defaults to atomic reads and writes. */
    readonly accesses?: 'composite';
  };
  /** The paper's bounds on accesses per entry. */
  readonly bounds: readonly Bound<AccessKind>[];
  /** Returns the registers of n processes, with their initial values. */
  registers(n: number): M;
  /** The arrays whose i-th register is reset when process i crashes. Defaults to none. */
  readonly owned?: readonly (keyof M)[];
  /** The local variables at each request. They last until the release ends. */
  init(place: SharedFacts): S;
  /** The first line of a request, which leads to the critical section. */
  readonly request: NoInfer<L>;
  /** The first line of a release, which leads to the noncritical section. */
  readonly release: NoInfer<L>;
  /**
   * The program of process `me`; the paper writes i for its number. A line with the name `noncritical section` is the step that the process
   * takes there again and again, for the others. It leads back there, and a request may come between any two of these steps.
   */
  program(place: SharedFacts): {
    readonly [line in L]: Line<M, S, NoInfer<L>> | CompositeLine<M, S, NoInfer<L>>;
  };
  /** Processes take steps in their noncritical sections, so a run ends with its workload. Defaults to false. */
  readonly perpetual?: true;
  /** Self-stabilisation: a run begins in a legitimate global state and returns to one after any corruption. Defaults to none. */
  readonly stabilises?: {
    /** Returns any values, by `choose`, for registers of process `me`: for each array named, that of its element `me`. */
    readonly scramble: (place: SharedFacts & Choose) => { readonly [array in keyof M]?: number };
    /** Returns true if the global state is legitimate. */
    readonly legitimate: (world: SharedWorld<M, S, NoInfer<L>>) => boolean;
  };
  /** The lemmas of the proof. A host that sees global states checks each one in all of them. */
  readonly invariants?: { readonly [lemma: string]: (world: SharedWorld<M, S, NoInfer<L>>) => boolean };
}

/**
 * Returns its argument. Lets the compiler infer the registers, local variables and lines of an algorithm, and reject unknown lines.
 *
 * @example
 * import { check } from 'batonjs-lab/check';
 * import { sharedAlgorithm } from 'batonjs/core';
 *
 * const looksFirst = sharedAlgorithm({
 *   name: 'looks-first', problem: 'mutex', paper: 'none: looking and taking are two steps',
 *   assumes: { failures: 'none' }, bounds: [], request: 'look', release: 'free',
 *   registers: () => ({ taken: 0 }),
 *   init: () => ({}),
 *   program: () => ({
 *     look: { read: 'taken', goto: (value) => (value === 0 ? 'take' : 'look') },
 *     take: { write: 'taken', value: 1, goto: 'critical section' },
 *     free: { write: 'taken', value: 0, goto: 'noncritical section' },
 *   }),
 * });
 * check(looksFirst, { n: 2 }).violation?.property; // → 'at most one inside'
 */
export const sharedAlgorithm = <M extends Memory, S extends Locals, L extends string>(
  algorithm: SharedAlgorithm<M, S, L>,
): SharedAlgorithm<M, S, L> => algorithm;

// biome-ignore-start lint/suspicious/noExplicitAny: lines consume their own local variables, so only `any` fits all
/** An algorithm as hosts see it: the types of its registers, variables and lines are its own. */
export interface AnySharedAlgorithm
  extends Pick<
    SharedAlgorithm<any, any, any>,
    'name' | 'problem' | 'paper' | 'processes' | 'assumes' | 'bounds' | 'init' | 'invariants' | 'perpetual'
  > {
  /** The arrays whose i-th register is reset when process i crashes. */
  readonly owned?: readonly PropertyKey[];
  /** The first line of a request. */
  readonly request: string;
  /** The first line of a release. */
  readonly release: string;
  /** Returns the registers of n processes, with their initial values. */
  registers(n: number): Memory;
  /** Returns the program of process `me`. */
  program(place: SharedFacts): { readonly [line: string]: any };
  /** Self-stabilisation. See {@link SharedAlgorithm}. */
  readonly stabilises?: {
    readonly scramble: (place: any) => { readonly [array: string]: number | undefined };
    readonly legitimate: (world: any) => boolean;
  };
}

export interface AnyLine {
  readonly read?: string;
  readonly write?: string;
  readonly at?: number | ((s: any) => number);
  readonly value?: number | ((s: any) => number);
  readonly goto: string | ((...args: any[]) => string);
  readonly reads?: undefined;
}

export interface AnyCompositeLine {
  readonly reads: readonly (readonly [array: string, index: number])[];
  readonly writes?: readonly [array: string, index: number];
  readonly value?: (values: readonly number[], s: any) => number | null;
  readonly goto: string | ((values: readonly number[], s: any) => string);
}
// biome-ignore-end lint/suspicious/noExplicitAny: above

/**
 * Returns true if an algorithm runs on shared memory. Hosts do not need it: they ask `declared` of `batonjs/machine`.
 *
 * @example
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { isShared } from 'batonjs/core';
 *
 * isShared(dekker); // → true
 * isShared(raymond); // → false
 */
export const isShared = <A extends object>(algorithm: A): algorithm is Extract<A, { registers: unknown }> =>
  'program' in algorithm;

/** The kind of an access to a register. */
export type AccessKind = 'read' | 'write';

/** One access. Two accesses of different processes commute if their registers differ, or both only read. */
export interface Access {
  /** Whether it reads or writes. */
  readonly kind: AccessKind;
  /** The register, like `turn` or `flag[1]`. */
  readonly register: string;
}

export const isSection = (at: string): at is Section =>
  at === 'critical section' || at === 'noncritical section';

export interface Register {
  readonly name: string;
  readonly index: number | null; // in an array of registers
  readonly register: string; // its name in an access
  readonly value: number;
}

/** The registers of a memory, in a fixed order. */
export const registersOf = (memory: Memory): Register[] =>
  Object.entries(memory).flatMap(([name, held]): Register[] => {
    if (!Array.isArray(held)) return [{ name, index: null, register: registerText(name, null), value: held }];
    return held.flatMap((value, index) =>
      value === null ? [] : [{ name, index, register: registerText(name, index), value }],
    );
  });

export const registerText = (name: string, index: number | null): string =>
  index === null ? name : `${name}[${index}]`;

export function put(memory: Memory, name: string, index: number | null, value: number): void {
  if (index === null) memory[name] = value;
  else (memory[name] as number[])[index] = value;
}
