import { InputError } from '../../core/assert.ts';

/** Notices reads of fields that no state has: a lemma or handler with a misspelled name can seem to work. */
export class MissingFields {
  readonly #known = new Set<string>(); // the fields of initial states
  #missing: { readonly field: string; readonly record: object } | null = null;

  /** Notes the fields of an initial state. */
  know(state: unknown): void {
    for (const field of Object.keys(state ?? {})) this.#known.add(field);
  }

  /** A field of a record is read. Numbers are keys of a table rather than names, and JSON.stringify looks for toJSON. */
  read(record: object, field: string): void {
    if (field === 'toJSON') return;
    if (!this.#known.has(field) && !(field in record) && !/^\d+$/.test(field))
      this.#missing ??= { field, record };
  }

  /** @throws {InputError} if a field was read that is missing. */
  refuse(reader: string): void {
    if (this.#missing === null) return;
    const { field, record } = this.#missing;
    this.#missing = null;
    const fields = Object.keys(record).join(', ') || 'none';
    throw new InputError(
      `${reader} reads the field ${field}, which no state has at first: a state has the fields ${fields}`,
    );
  }
}
