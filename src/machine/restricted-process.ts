import type { Actions, AnyAlgorithm, Clock, Message, Problem } from '../core/algorithm.ts';
import { ContractRules } from './contract-rules.ts';

/** The process of the algorithm that a guest runs in. */
type UnrestrictedProcess = Actions<Problem, Message> & Clock & { [fact: string]: unknown };

/** An algorithm that runs inside another one, on the same links: it gets the other's process, less what it may not know or do. */
export class RestrictedProcess {
  readonly #knows: AnyAlgorithm['knows'];
  readonly #process: UnrestrictedProcess;
  #outer!: UnrestrictedProcess;

  constructor(algorithm: AnyAlgorithm) {
    const rules = new ContractRules(algorithm);
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
    this.#outer = outer as UnrestrictedProcess;
    for (const fact of this.#knows) this.#process[fact] = this.#outer[fact];
    return this.#process;
  }
}
