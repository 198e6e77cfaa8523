import { InputError } from '../../core/assert.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseFields } from '../../sim/index.ts';
import { open, Stage } from '../../stage/index.ts';
import type { Answer, Named, Order, Request, Scenario } from './protocol.ts';
import { Telling } from './telling.ts';

/** Where runs come about: it is asked, and answers, one thing after the other. */
export class Backstage {
  readonly #algorithmOf: (subject: Named) => Promise<EitherAlgorithm>;
  readonly #runs = new Map<number, Telling>();

  constructor(algorithmOf: (subject: Named) => Promise<EitherAlgorithm>) {
    this.#algorithmOf = algorithmOf;
  }

  async answer(request: Request): Promise<Answer> {
    if (request.kind === 'more') {
      const telling = this.#runs.get(request.run);
      if (!telling) throw new InputError('this run has been forgotten: load it again');
      return { kind: 'part', part: telling.next(request.upTo) };
    }
    const { run, keeps, subject, order, upTo } = request;
    for (const other of this.#runs.keys()) if (other !== keeps) this.#runs.delete(other);
    const { show, position } = this.#perform(await this.#algorithmOf(subject), order);
    const telling = new Telling(show);
    this.#runs.set(run, telling);
    return { kind: 'began', ...telling.begin(position, upTo) };
  }

  #perform(algorithm: EitherAlgorithm, order: Order) {
    if (order.kind === 'scenario') return { show: staged(algorithm, order.scenario), position: null };
    if (order.kind === 'trace')
      return { show: open(algorithm, order.trace), position: order.trace.events.length };
    const known = this.#runs.get(order.run)?.show;
    const stage: Stage = known instanceof Stage ? known : staged(algorithm, order.scenario);
    const at = stage.pauseFrom(order.position);
    const next = stage.act(at, order.action);
    if (typeof next === 'string') throw new InputError(next);
    return { show: next, position: order.action.do === 'delay' ? at : at + 1 };
  }
}

const staged = (algorithm: EitherAlgorithm, { fields, interventions }: Scenario): Stage =>
  new Stage(algorithm, parseFields(fields), interventions);
