import { algorithmInfo } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import type { TraceEvent } from '../../core/trace.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseScenario } from '../../sim/index.ts';
import {
  type BoundsStatus,
  BoundsTracker,
  measuringPlanOf,
  openTrace,
  type ReplayedTimeline,
  SimulatedTimeline,
  type StateFields,
} from '../../timeline/index.ts';
import type {
  AlgorithmRef,
  LabScenario,
  RunChunk,
  RunSource,
  RunStart,
  RunWorkerReply,
  RunWorkerRequest,
  StateChange,
} from './run-protocol.ts';

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

const maxChunkSize = 2000; // roughly in messages; keeps the page responsive while it applies a chunk

/** Sends a run to the page in chunks. */
export class RunStream {
  readonly run: SimulatedTimeline | ReplayedTimeline;
  readonly #boundsTracker: BoundsTracker;
  #sentEvents = 0;
  #sentRefusals = 0;

  constructor(run: SimulatedTimeline | ReplayedTimeline) {
    this.run = run;
    this.#boundsTracker = new BoundsTracker(run.setup);
  }

  begin(position: number | null, upTo: number): RunStart {
    const { run } = this;
    const { n, algorithm } = run.setup;
    const { kinds, hasLinks, registers } = algorithmInfo(algorithm);
    const interventions = run instanceof SimulatedTimeline ? run.interventions : null;
    const first = this.#boundsTracker.status(false);
    const chunk = this.nextChunk(upTo);
    return {
      head: run.head,
      interventions,
      states: Array.from({ length: n }, (_, process) => run.stateAt(process, 0)),
      memory: registers(n),
      measuring: measuringPlanOf(run.setup, hasLinks ? kinds : [], interventions?.length !== 0),
      position,
      chunk: { ...chunk, boundsStatuses: [first, ...chunk.boundsStatuses] },
    };
  }

  /** Returns the next events: up to the first `upTo`, or all simulated ones if those are more, unless the chunk is full. */
  nextChunk(upTo: number): RunChunk {
    const { run } = this;
    const events: TraceEvent[] = [];
    const changes: StateChange[] = [];
    const boundsStatuses: BoundsStatus[] = [];
    let size = 0;
    while (
      size < maxChunkSize &&
      this.#sentEvents < Math.max(upTo, run.events.length) &&
      run.advanceTo(this.#sentEvents + 1)
    ) {
      const event = run.events[this.#sentEvents]!;
      const { process } = event;
      const change = changedFields(
        run.stateAt(process, this.#sentEvents),
        run.stateAt(process, this.#sentEvents + 1),
      );
      const boundsStatus = this.#boundsTracker.add(event);
      this.#sentEvents += 1;
      events.push(event);
      changes.push(change);
      if (boundsStatus) boundsStatuses.push(boundsStatus);
      size += 1 + event.outputs.length + sizeOf(change);
    }
    const isComplete = run.isOver && this.#sentEvents === run.events.length;
    if (isComplete) boundsStatuses.push(this.#boundsTracker.status(true));
    const verdict = isComplete ? run.verdict : null;
    const endTime = isComplete && run instanceof SimulatedTimeline ? run.now : null;
    return { events, changes, boundsStatuses, refused: this.#refusals(), verdict, endTime };
  }

  #refusals(): RunChunk['refused'] {
    const { run } = this;
    if (!(run instanceof SimulatedTimeline)) return [];
    const all = [...run.refused].map(([one, why]) => [run.interventions.indexOf(one), why] as const);
    const fresh = all.slice(this.#sentRefusals);
    this.#sentRefusals = all.length;
    return fresh;
  }
}

/** Compares fields by identity: an unchanged value is the same object. */
function changedFields(before: StateFields, now: StateFields): StateChange {
  if (before === now) return null;
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...fields].filter((field) => before[field] !== now[field]).map((field) => [field, now[field]]),
  );
}

/** Estimates the size of a change. The items of a list weigh little. */
const sizeOf = (change: StateChange): number =>
  Object.values(change ?? {}).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? 1 + value.length / 20 : 1),
    0,
  );
