import { MissingFields } from './missing-fields.ts';
import type { ReadObserver } from './observed-world.ts';

/**
 * What lemmas read of worlds, in all evaluations so far. It only grows.
 *
 * A lemma is a function, so it has the same value in two worlds that agree in all that it read in one of them. An event that changes nothing of this
 * is invisible to it. That need be known of the worlds that a search visits: a world left out agrees with one of those in all that was read there.
 */
export class LemmaReads implements ReadObserver {
  size = 0; // grows with every addition
  readsWholeStates = false;
  readsAllMessages = false;
  readonly fields = new Set<string>(); // of local states
  readonly types = new Set<string>(); // of messages
  readonly missing = new MissingFields();

  /** Whether nothing is left that could be invisible. */
  get isEverything(): boolean {
    return this.readsWholeStates && this.readsAllMessages;
  }

  field(record: object, field: string): void {
    this.missing.read(record, field);
    this.#add(this.fields, field);
  }

  whole(): void {
    if (this.readsWholeStates) return;
    this.readsWholeStates = true;
    this.size += 1;
  }

  messages(type: string | null): void {
    if (type !== null) this.#add(this.types, type);
    else if (!this.readsAllMessages) {
      this.readsAllMessages = true;
      this.size += 1;
    }
  }

  #add(set: Set<string>, value: string): void {
    if (set.has(value)) return;
    set.add(value);
    this.size += 1;
  }

  /** Says whether messages of a type are read. */
  readsMessages(type: string): boolean {
    return this.readsAllMessages || this.types.has(type);
  }

  /** Returns what is read of a local state, as plain data. */
  observe(state: unknown): unknown {
    if (this.readsWholeStates || typeof state !== 'object' || state === null) return state;
    return Array.from(this.fields, (field) => (state as Record<string, unknown>)[field] ?? null);
  }
}
