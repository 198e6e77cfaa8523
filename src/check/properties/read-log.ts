import type { Message, Pid, World } from '../../core/algorithm.ts';
import { messageText } from '../../core/trace.ts';
import type { ReadObserver } from './observed-world.ts';

const most = { reads: 8, characters: 60, messages: 6 }; // to name

/** What a lemma read in one world, in the order of the last reads. A lemma that fails stops where it does, so the last reads say most. */
export class ReadLog implements ReadObserver {
  readonly #values = new Map<
    string,
    { readonly process: Pid | null; readonly field: string; readonly value: unknown }
  >();
  readonly #types = new Set<string>();
  readonly #inFlight: World<unknown, Message>['inFlight'];

  constructor(inFlight: World<unknown, Message>['inFlight']) {
    this.#inFlight = inFlight;
  }

  field(record: object, field: string, process: Pid | null): void {
    const key = `${process} ${field}`;
    this.#values.delete(key);
    this.#values.set(key, { process, field, value: (record as Record<string, unknown>)[field] });
  }

  whole(record: unknown, process: Pid | null): void {
    if (typeof record === 'object' && record !== null)
      for (const field of Object.keys(record)) this.field(record, field, process);
  }

  messages(type: string | null): void {
    if (type !== null) this.#types.add(type);
    else for (const { message } of this.#inFlight) this.#types.add(message.type);
  }

  /** Returns the processes and values that were read, and the messages in flight. */
  toString(): string {
    const last = [...this.#values.values()].slice(-most.reads);
    const owners = [...new Set(last.map(({ process }) => process))].sort((a, b) => (a ?? -1) - (b ?? -1));
    const records = owners.map((owner) => {
      const values = last.filter(({ process }) => process === owner);
      const name = owner === null ? 'memory' : `process ${owner}`;
      return `${name} has ${values.map(({ field, value }) => `${field} ${short(value)}`).join(', ')}`;
    });
    return [...records, ...this.#messagesText()].join('; ');
  }

  #messagesText(): string[] {
    if (this.#types.size === 0) return [];
    const read = this.#inFlight.filter(({ message }) => this.#types.has(message.type));
    const texts = read.map(({ from, to, message }) => `${messageText(message)} from ${from} to ${to}`);
    if (texts.length === 0) return [`no ${[...this.#types].join(' or ')} is in flight`];
    const more = texts.length > most.messages ? ` and ${texts.length - most.messages} more` : '';
    return [`in flight: ${texts.slice(0, most.messages).join(', ')}${more}`];
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text;
}
