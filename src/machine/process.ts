import type { Address, Message } from '../core/algorithm.ts';

/** Where the actions of a process go. */
export interface Actions {
  send(to: Address, message: Message): void;
  emit(event: Message): void;
  after(ticks: number, message: Message): void;
  cancel(type: string): void;
  choose(options: number): number;
  clock(): number;
}

/** What `p` is in a handler: its facts, as own fields that somebody else writes, and the actions. */
export class ProcessObject implements Actions {
  readonly #actions: Actions;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  send(to: Address, message: Message): void {
    this.#actions.send(to, message);
  }

  emit(event: Message): void {
    this.#actions.emit(event);
  }

  after(ticks: number, message: Message): void {
    this.#actions.after(ticks, message);
  }

  cancel(type: string): void {
    this.#actions.cancel(type);
  }

  choose(options: number): number {
    return this.#actions.choose(options);
  }

  clock(): number {
    return this.#actions.clock();
  }
}
