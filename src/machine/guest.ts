import type { Address, AnyAlgorithm, Message } from '../core/algorithm.ts';
import { Rules } from './rules.ts';

/** The process of the algorithm that a guest runs in. */
interface Outer {
  readonly [fact: string]: unknown;
  send(to: Address, message: Message): void;
  emit(event: Message): void;
  after(ticks: number, message: Message): void;
  cancel(type: string): void;
  choose(options: number): number;
  clock(): number;
}

/** An algorithm that runs inside another one, on the same links: it gets the other's process, less what it may not know or do. */
export class Guest {
  readonly #knows: AnyAlgorithm['knows'];
  readonly #process: Outer & { [fact: string]: unknown };
  #outer!: Outer;

  constructor(algorithm: AnyAlgorithm) {
    const rules = new Rules(algorithm);
    this.#knows = algorithm.knows;
    this.#process = {
      send: (to, message) => {
        rules.kindOf(message);
        rules.checkPlain(message, 'message');
        this.#outer.send(to, message);
      },
      emit: (event) => {
        rules.checkEvent(event);
        this.#outer.emit(event);
      },
      after: (ticks, message) => {
        rules.timerSet(ticks, message);
        this.#outer.after(ticks, message);
      },
      cancel: (type) => {
        rules.timerOf(type);
        this.#outer.cancel(type);
      },
      choose: (options) => this.#outer.choose(options),
      clock: () => this.#outer.clock(),
    };
  }

  /** Its `p` while a handler of the outer algorithm runs at the process `outer`. */
  at(outer: object): object {
    this.#outer = outer as Outer;
    for (const fact of this.#knows) this.#process[fact] = this.#outer[fact];
    return this.#process;
  }
}
