import type { Violation } from '../../problems/monitor.ts';
import type { EnvelopeId, ProcessStateId, VariablesId } from '../ids.ts';
import type { LemmaReads } from '../properties/lemma-reads.ts';
import { brokenLemma, conditionsOf, type Lemmas } from '../properties/lemmas.ts';
import { observedWorld } from '../properties/observed-world.ts';
import { ListTable } from '../storage/list-table.ts';
import { TupleTable } from '../storage/tuple-table.ts';
import { ValueTable } from '../storage/value-table.ts';
import type { ProcessStateTable } from './process-states.ts';
import { worldAt } from './world-view.ts';

const mostKept = 2 ** 20; // combinations; then it begins again

/**
 * The lemmas of an algorithm in each world. They depend on what they read only, of which there are far fewer combinations than worlds.
 *
 * On a symmetric ring a world stands for all its rotations. A lemma may name processes, so it is evaluated in each of them.
 */
export class MessageLemmas {
  readonly #lemmas: Lemmas;
  readonly #conditions: ReturnType<typeof conditionsOf>;
  readonly #reads: LemmaReads;
  readonly #processStates: ProcessStateTable;
  readonly #n: number;
  readonly #ids: Int32Array; // of what is read at each process
  readonly #rotated: Int32Array; // scratch space
  #size = -1; // of the reads that the tables below are for
  #values = new ValueTable<null>(); // what is read of variables
  #ofVariables: number[] = [];
  #parts = new ListTable(); // what is read of a process: of its variables, and its inbox
  #ofStates: number[] = [];
  #holds: TupleTable; // combinations in which all lemmas hold

  constructor(lemmas: Lemmas, reads: LemmaReads, processStates: ProcessStateTable) {
    this.#lemmas = lemmas;
    this.#conditions = conditionsOf(lemmas);
    this.#reads = reads;
    this.#processStates = processStates;
    this.#n = processStates.config.setup.n;
    this.#ids = new Int32Array(this.#n);
    this.#rotated = new Int32Array(this.#n);
    this.#holds = new TupleTable(this.#n, 64);
  }

  /** Returns a lemma that fails in a world. */
  broken(worlds: Int32Array, offset: number): Violation | null {
    if (!this.#processStates.symmetric) return this.#brokenAt(worlds, offset);
    for (let shift = 0; shift < this.#n; shift += 1) {
      for (let i = 0; i < this.#n; i += 1) this.#rotated[i] = worlds[offset + ((i + shift) % this.#n)]!;
      const violation = this.#brokenAt(this.#rotated, 0);
      if (violation !== null) return violation;
    }
    return null;
  }

  #brokenAt(worlds: Int32Array, offset: number): Violation | null {
    if (this.#isKnown(worlds, offset)) return null;
    const world = worldAt(this.#processStates, worlds, offset);
    if (this.#reads.size === 0) for (const state of world.states) this.#reads.missing.know(state);
    const observedBy = observedWorld.bind(null, world);
    const violation = brokenLemma(this.#lemmas, { ...world, observedBy }, this.#reads);
    if (violation === null && !this.#reads.isEverything && this.#size === this.#reads.size)
      this.#holds.add(this.#ids, 0);
    return violation;
  }

  /** Says whether the lemmas hold, as far as is known. It leaves what is read of the world in `#ids`. */
  #isKnown(worlds: Int32Array, offset: number): boolean {
    if (this.#reads.isEverything) return false;
    this.#refresh();
    for (let i = 0; i < this.#n; i += 1)
      this.#ids[i] = this.#stateRead(worlds[offset + i]! as ProcessStateId);
    return this.#holds.find(this.#ids, 0) >= 0;
  }

  /** Begins again where more is read than before. */
  #refresh(): void {
    const hasGrown = this.#size !== this.#reads.size;
    if (hasGrown || this.#holds.size > mostKept) this.#holds = new TupleTable(this.#n, 64);
    if (!hasGrown) return;
    this.#size = this.#reads.size;
    this.#values = new ValueTable();
    this.#ofVariables = [];
    this.#parts = new ListTable();
    this.#ofStates = [];
  }

  #variablesRead(variables: VariablesId): number {
    this.#ofVariables[variables] ??= this.#values.add(null, this.#reads.observe(this.#variables(variables)));
    return this.#ofVariables[variables];
  }

  #variables(variables: VariablesId): unknown {
    return this.#processStates.variables.of(variables);
  }

  /** Returns which of the conditions variables satisfy, a bit for each. */
  #satisfied(variables: VariablesId): number {
    const state = this.#variables(variables) as never;
    return this.#conditions.reduce((bits, satisfies, k) => bits | (satisfies(state) ? 1 << k : 0), 0);
  }

  #stateRead(state: ProcessStateId): number {
    if (this.#ofStates[state] !== undefined) return this.#ofStates[state];
    const { variables } = this.#processStates.local(this.#processStates.localOf(state));
    this.#ofStates[state] = this.#parts.add([
      this.#variablesRead(variables),
      this.#satisfied(variables),
      ...this.#processStates.envelopesIn(state).filter((envelope) => this.#isRead(envelope)),
    ]);
    return this.#ofStates[state];
  }

  #isRead(envelope: EnvelopeId): boolean {
    return this.#reads.readsMessages(this.#processStates.envelopes.of(envelope).message.type);
  }

  /**
   * Says whether a lemma may fail before a step and hold after it, as far as it is known what they read: the step changes variables or messages
   * that are read, or the process satisfies a condition no longer. If it comes to satisfy one, no lemma holds for that.
   */
  mayRepair(before: VariablesId, after: VariablesId, messages: readonly EnvelopeId[]): boolean {
    this.#refresh();
    return (
      messages.some((envelope) => this.#isRead(envelope)) ||
      this.#variablesRead(before) !== this.#variablesRead(after) ||
      (this.#satisfied(before) & ~this.#satisfied(after)) !== 0
    );
  }
}
