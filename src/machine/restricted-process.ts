import type { Actions, AnyAlgorithm, Clock, Message, Problem } from '../core/algorithm.ts';
import { ContractRules } from './contract-rules.ts';

/** The process of the outer algorithm. */
type UnrestrictedProcess = Actions<Problem, Message> & Clock & { [fact: string]: unknown };

/**
 * The process of an algorithm that runs inside another one, on the same links: the outer process, restricted to what it may know and do.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { RestrictedProcess } from 'batonjs/machine';
 *
 * const inner = new RestrictedProcess(raymond);
 * const p = inner.at({ me: 1, n: 3, neighbours: [0, 2], parent: 0 });
 * ['parent' in p, 'n' in p]; // → [true, false]
 */
export class RestrictedProcess {
  readonly #knows: AnyAlgorithm['knows'];
  readonly #process: UnrestrictedProcess;
  #outer!: UnrestrictedProcess;

  constructor(algorithm: AnyAlgorithm) {
    const rules = new ContractRules(algorithm, null);
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

  /** Returns the inner `p` while a handler of the outer algorithm runs at the process `outer`. The next call changes the same object. */
  at(outer: object): object {
    this.#outer = outer as UnrestrictedProcess;
    for (const fact of this.#knows) this.#process[fact] = this.#outer[fact];
    return this.#process;
  }
}
