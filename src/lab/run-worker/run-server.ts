import { InputError } from '../../core/assert.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseScenario } from '../../sim/index.ts';
import { openTrace, SimulatedTimeline } from '../../timeline/index.ts';
import type {
  AlgorithmRef,
  LabScenario,
  RunSource,
  RunWorkerReply,
  RunWorkerRequest,
} from './run-protocol.ts';
import { RunStream } from './run-stream.ts';

/** Where runs come about: it is asked, and answers, one thing after the other. */
export class RunServer {
  readonly #algorithmOf: (subject: AlgorithmRef) => Promise<EitherAlgorithm>;
  readonly #runs = new Map<number, RunStream>();

  constructor(algorithmOf: (subject: AlgorithmRef) => Promise<EitherAlgorithm>) {
    this.#algorithmOf = algorithmOf;
  }

  async answer(request: RunWorkerRequest): Promise<RunWorkerReply> {
    if (request.kind === 'more') {
      const telling = this.#runs.get(request.run);
      if (!telling) throw new InputError('this run has been forgotten: load it again');
      return { kind: 'part', part: telling.nextChunk(request.upTo) };
    }
    const { run, keeps, algorithm, runSource, upTo } = request;
    for (const other of this.#runs.keys()) if (other !== keeps) this.#runs.delete(other);
    const { show, position } = this.#createRun(await this.#algorithmOf(algorithm), runSource);
    const telling = new RunStream(show);
    this.#runs.set(run, telling);
    return { kind: 'began', ...telling.begin(position, upTo) };
  }

  #createRun(algorithm: EitherAlgorithm, order: RunSource) {
    if (order.kind === 'scenario') return { show: interactiveRun(algorithm, order.scenario), position: null };
    if (order.kind === 'trace')
      return { show: openTrace(algorithm, order.trace), position: order.trace.events.length };
    const known = this.#runs.get(order.run)?.run;
    const stage: SimulatedTimeline =
      known instanceof SimulatedTimeline ? known : interactiveRun(algorithm, order.scenario);
    const at = stage.interventionPointFrom(order.position);
    const next = stage.intervene(at, order.action);
    if (typeof next === 'string') throw new InputError(next);
    return { show: next, position: order.action.do === 'delay' ? at : at + 1 };
  }
}

const interactiveRun = (
  algorithm: EitherAlgorithm,
  { fields, interventions }: LabScenario,
): SimulatedTimeline => new SimulatedTimeline(algorithm, parseScenario(fields), interventions);
