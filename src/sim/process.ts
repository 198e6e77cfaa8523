import type { Address, Message } from '../core/algorithm.ts';

/** What carries out the actions of the process whose turn it is. */
export interface Host {
  send(to: Address, message: Message): void;
  emit(event: Message): void;
  after(ticks: number, message: Message): void;
  cancel(type: string): void;
  choose(options: number): number;
  clock?(): number; // where clocks are to be synchronised
}

/** What `p` is in a handler: the facts of the process whose turn it is, as own fields, and the actions. */
export class SimulatedProcess implements Host {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  send(to: Address, message: Message): void {
    this.#host.send(to, message);
  }

  emit(event: Message): void {
    this.#host.emit(event);
  }

  after(ticks: number, message: Message): void {
    this.#host.after(ticks, message);
  }

  cancel(type: string): void {
    this.#host.cancel(type);
  }

  choose(options: number): number {
    return this.#host.choose(options);
  }

  clock(): number {
    return this.#host.clock!();
  }
}
