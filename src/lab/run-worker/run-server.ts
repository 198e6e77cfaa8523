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

/** Creates runs in the worker and answers one request at a time. */
export class RunServer {
  readonly #algorithmOf: (algorithmRef: AlgorithmRef) => Promise<EitherAlgorithm>;
  readonly #runs = new Map<number, RunStream>(); // by id

  constructor(algorithmOf: (algorithmRef: AlgorithmRef) => Promise<EitherAlgorithm>) {
    this.#algorithmOf = algorithmOf;
  }

  async answer(request: RunWorkerRequest): Promise<RunWorkerReply> {
    if (request.kind === 'more') {
      const stream = this.#runs.get(request.run);
      if (!stream) throw new InputError('this run has been forgotten: load it again');
      return { kind: 'chunk', chunk: stream.nextChunk(request.upTo) };
    }
    const { run, keeps, algorithm, runSource, upTo } = request;
    for (const other of this.#runs.keys()) if (other !== keeps) this.#runs.delete(other);
    const { timeline, position } = this.#createRun(await this.#algorithmOf(algorithm), runSource);
    const stream = new RunStream(timeline);
    this.#runs.set(run, stream);
    return { kind: 'began', ...stream.begin(position, upTo) };
  }

  #createRun(algorithm: EitherAlgorithm, source: RunSource) {
    if (source.kind === 'scenario')
      return { timeline: interactiveRun(algorithm, source.scenario), position: null };
    if (source.kind === 'trace')
      return { timeline: openTrace(algorithm, source.trace), position: source.trace.events.length };
    const known = this.#runs.get(source.run)?.run;
    const timeline: SimulatedTimeline =
      known instanceof SimulatedTimeline ? known : interactiveRun(algorithm, source.scenario);
    const at = timeline.interventionPointFrom(source.position);
    const next = timeline.intervene(at, source.action);
    if (typeof next === 'string') throw new InputError(next);
    return { timeline: next, position: source.action.do === 'delay' ? at : at + 1 };
  }
}

const interactiveRun = (
  algorithm: EitherAlgorithm,
  { fields, interventions }: LabScenario,
): SimulatedTimeline => new SimulatedTimeline(algorithm, parseScenario(fields), interventions);
