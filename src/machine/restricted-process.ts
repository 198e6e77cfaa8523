import type { Actions, AnyAlgorithm, Clock, Message, Problem } from '../core/algorithm.ts';
import { ContractRules } from './contract-rules.ts';

/** The process of the outer algorithm. */
type UnrestrictedProcess = Actions<Problem, Message> & Clock & { [fact: string]: unknown };

/** The process of an algorithm that runs inside another one, on the same links: the outer process, restricted to what it may know and do. */
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

  /** The inner `p` while a handler of the outer algorithm runs at the process `outer`. */
  at(outer: object): object {
    this.#outer = outer as UnrestrictedProcess;
    for (const fact of this.#knows) this.#process[fact] = this.#outer[fact];
    return this.#process;
  }
}
