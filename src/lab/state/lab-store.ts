import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { parseTrace, type Trace } from '../../core/trace.ts';
import { SpaceTimeLayout, type Spacing, type TraceIndex } from '../../diagram/index.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import type { Intervention } from '../../sim/index.ts';
import { interventionsText, type ScheduledIntervention } from '../../timeline/index.ts';
import { RunClient } from '../run-worker/run-client.ts';
import type { RunSource } from '../run-worker/run-protocol.ts';
import type { RunReplica } from '../run-worker/run-replica.ts';
import type { MakeRunWorker } from '../run-worker/run-worker-pool.ts';
import { maxTraceLength, unpack } from './packed-text.ts';
import { type PageState, permalinkOf } from './permalink.ts';
import { type CustomAlgorithm, type RunSpec, setupFor, specFromScenario, specFromTrace } from './run-spec.ts';

export type LabSelection =
  | { readonly process: Pid }
  | { readonly message: number }
  | { readonly between: readonly [Pid, Pid] };

export const speeds = [0.5, 1, 2, 4, 8, 16, 64] as const;
const prefetchEvents = 20_000; // events that become known without being looked at,
const prefetchMessages = 200_000; // unless they send too many messages:
const nearbyEvents = 30; // then only these

/** What is on the page, and what can be done to it. Views draw it and are told when it has changed. */
export class LabStore {
  algorithm!: EitherAlgorithm;
  fields: Readonly<Record<string, string>> = {};
  run!: RunReplica;
  spaceTime!: SpaceTimeLayout;
  spacing: Spacing = 'even';
  zoom: number | 'fit' = 1; // of the space-time diagram
  position = 0; // events that have happened
  cursor = 0; // the same, while it moves
  isPlaying = false;
  speed: number = 2;
  selection: LabSelection | null = null;
  hovered: number | null = null; // an event
  problem: string | null = null; // why the last thing asked for was not done
  runVersion = 0; // of the run
  view = 'run';
  checkRequest = ''; // what the check view asks; empty until somebody has chosen
  isCheckPending = false; // the check view is to begin with it
  sweep = ''; // what the measure view measures; empty until it has been opened
  customAlgorithm: CustomAlgorithm | null = null; // what runs, if it is not of the catalogue
  draft: { readonly name: string; readonly packed: string } | null = null; // what stands in the editor
  unconfirmedLink: PageState | null = null; // a scene with a text of its own, which nobody here has agreed to run
  readonly #client: RunClient;
  readonly #listeners = new Set<() => void>();
  #pending: { readonly kind: 'load' | 'act'; readonly isDone: Promise<boolean> } | null = null; // until it is shown
  #generation = 0; // of what was asked for
  #deferred: { readonly upTo: number; readonly go: () => void } | null = null; // when so much is known

  constructor(makeThread: MakeRunWorker) {
    this.#client = new RunClient(makeThread);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reportProblem(why: string): void {
    this.problem = why;
    this.notify();
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  get traceIndex(): TraceIndex {
    return this.run.traceIndex;
  }

  get pageState(): PageState {
    const { view, draft } = this;
    const scene = view === 'edit' && draft ? this.#draftPageState(draft) : this.#runPageState;
    return { ...scene, view, check: this.checkRequest, measure: this.sweep };
  }

  get #runPageState(): PageState {
    const { algorithm, spacing, position, customAlgorithm } = this;
    const { interventions, packed } = this.run;
    const fields = packed === null ? this.fields : {};
    const texts = {
      ...(customAlgorithm && { source: customAlgorithm.packed }),
      ...(packed !== null && { trace: packed }),
    };
    return { algorithm: algorithm.name, fields, interventions, position, spacing, ...texts };
  }

  /** With the run that belongs to a text, if there is one. */
  #draftPageState({ name, packed }: { readonly name: string; readonly packed: string }): PageState {
    if (packed === this.unconfirmedLink?.source) return this.unconfirmedLink;
    if (packed === this.customAlgorithm?.packed) return this.#runPageState;
    const { spacing } = this;
    return { algorithm: name, fields: {}, interventions: [], position: null, spacing, source: packed };
  }

  /** Null if what is seen is a recorded run that is too long for an address, or not packed yet. */
  get permalink(): string | null {
    const isMissing = this.view === 'run' && this.run.isRecorded && this.run.packed === null;
    return isMissing ? null : permalinkOf(this.pageState);
  }

  /** Shows a scene; what is wrong with it is said, and everything stays as it was. False also if something else was asked for meanwhile. */
  load(scene: PageState, own: CustomAlgorithm | null = null): Promise<boolean> {
    const { trace, position } = scene;
    const { checkRequest } = this;
    const next = trace
      ? async () =>
          specFromTrace(
            parseTrace(await unpack(trace, maxTraceLength), 'the link'),
            'the link',
            own,
            position,
          )
      : () => specFromScenario(scene, own);
    return this.#replaceRun('load', next, () => {
      this.spacing = scene.spacing;
      this.view = scene.view ?? 'run';
      const isOld = this.checkRequest === checkRequest || this.checkRequest === scene.algorithm; // or says no more than the scene
      this.checkRequest = scene.check ?? (isOld ? '' : this.checkRequest);
      this.isCheckPending = this.view === 'check' && (scene.check ?? '') !== '';
      this.sweep = scene.measure ?? this.sweep;
      this.problem = scene.unknownParameters ?? null;
      this.isPlaying = position === null && !trace && this.view === 'run';
    });
  }

  /** Another scenario for this algorithm, from the beginning. */
  setScenario(fields: Readonly<Record<string, string>>): Promise<boolean> {
    const { spacing, checkRequest: check, algorithm, customAlgorithm } = this;
    const position = this.isPlaying ? null : 0;
    return this.load(
      { algorithm: algorithm.name, fields, interventions: [], position, spacing, check },
      customAlgorithm,
    );
  }

  openView(view: string): void {
    this.view = view;
    this.isPlaying = false;
    this.problem = null;
    this.notify();
  }

  /** Has the checker answer a question. */
  openCheck(question: string): void {
    this.checkRequest = question;
    this.isCheckPending = true;
    this.openView('check');
  }

  openTrace(trace: Trace | string, name: string, own: CustomAlgorithm | null = null): Promise<boolean> {
    return this.#replaceRun(
      'load',
      () => specFromTrace(typeof trace === 'string' ? parseTrace(trace, name) : trace, name, own, null),
      () => {
        this.isPlaying = false;
        this.view = 'run';
      },
    );
  }

  /** Does something to the run here; the rest of it comes about anew. */
  intervene(action: Intervention): Promise<boolean> {
    return this.#changeInterventions((scenario) => {
      const { position, run } = this;
      return { runSource: { kind: 'act', run: run.id, scenario, position, action }, position: null };
    });
  }

  undo(intervention: ScheduledIntervention): Promise<boolean> {
    const text = interventionsText([intervention]);
    return this.#changeInterventions(({ fields, interventions }) => {
      const kept = interventions.filter((one) => interventionsText([one]) !== text);
      const runSource = { kind: 'scenario', scenario: { fields, interventions: kept } } as const;
      return { runSource, position: Math.min(this.position, intervention.at) };
    });
  }

  /** What is done twice is done one after the other; what is done to a picture about to go is not done. */
  async #changeInterventions(
    what: (
      scenario: Extract<RunSource, { kind: 'scenario' }>['scenario'],
    ) => Pick<RunSpec, 'runSource' | 'position'>,
  ): Promise<boolean> {
    while (this.#pending?.kind === 'act') await this.#pending.isDone;
    if (this.#pending !== null || this.run.isRecorded) return false;
    const { algorithm, customAlgorithm, fields, selection } = this;
    const next = () => ({
      algorithm,
      customAlgorithm,
      fields,
      ...what({ fields, interventions: this.run.interventions }),
    });
    return this.#replaceRun('act', next, () => {
      this.isPlaying = false;
      this.selection = selection;
    });
  }

  /** Shows another run, as soon as its first events are known, unless something else is asked for until then. */
  #replaceRun(
    kind: 'load' | 'act',
    next: () => RunSpec | Promise<RunSpec>,
    then: () => void,
  ): Promise<boolean> {
    this.problem = null;
    this.#deferred = null;
    const doing = { kind, isDone: this.#loadRun(next, then) };
    this.#pending = doing;
    const end = () => {
      if (this.#pending === doing) this.#pending = null;
    };
    doing.isDone.then(end, end);
    return doing.isDone;
  }

  async #loadRun(next: () => RunSpec | Promise<RunSpec>, then: () => void): Promise<boolean> {
    this.#generation += 1;
    const { view } = this;
    const turn = this.#generation;
    try {
      const wanted = await next();
      if (turn !== this.#generation) return false;
      const { algorithm, customAlgorithm, fields, runSource } = wanted;
      const setup = setupFor(wanted);
      const subject = { name: algorithm.name, ...(customAlgorithm && { code: customAlgorithm.code }) };
      const begun = await this.#client.begin({
        algorithm: subject,
        setup,
        runSource,
        position: wanted.position,
      });
      if (begun === null) return false;
      this.algorithm = algorithm;
      this.customAlgorithm = customAlgorithm;
      this.fields = fields;
      this.selection = null;
      const looked = this.view === view ? null : this.view; // elsewhere, meanwhile
      then();
      if (looked !== null) [this.view, this.isPlaying] = [looked, false];
      this.#display(begun.run, begun.position);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      if (turn === this.#generation) this.reportProblem(error.message);
      return false;
    }
  }

  #display(run: RunReplica, position: number): void {
    this.run = run;
    this.runVersion += 1;
    this.spaceTime = new SpaceTimeLayout(run.traceIndex, this.spacing);
    this.hovered = null;
    this.spaceTime.extend();
    this.position = Math.min(position, run.events.length);
    this.cursor = this.position;
    if (run.isRecorded) run.pack().then(() => this.notify());
    this.notify();
  }

  setSpacing(spacing: Spacing): void {
    this.spacing = spacing;
    this.spaceTime = new SpaceTimeLayout(this.traceIndex, spacing);
    this.notify();
  }

  zoomTo(zoom: number | 'fit'): void {
    this.zoom = zoom === 'fit' ? zoom : Math.min(4, Math.max(0.02, zoom));
    this.notify();
  }

  /** There, or as far as is known, and on when more is. */
  goTo(position: number, glides = false): void {
    const known = this.run.events.length;
    this.#deferred = null;
    if (position > known) this.#whenKnown(position, () => this.goTo(position, glides));
    this.position = Math.max(0, Math.min(position, known));
    if (!glides || Math.abs(this.cursor - this.position) > 1.5) this.cursor = this.position;
    this.problem = null;
    this.notify();
  }

  /** To the end; where that is far, to the end of what is known then. */
  goToEnd(): void {
    this.isPlaying = false;
    const { length } = this.run.events;
    if (!this.#whenKnown(length + prefetchEvents, () => this.goTo(this.run.events.length))) this.goTo(length);
  }

  step(by: number): void {
    this.isPlaying = false;
    this.goTo(this.position + by, true);
  }

  /** To where the next of these is true of an event. */
  seek(is: (index: number) => boolean, direction: 1 | -1 = 1): void {
    this.isPlaying = false;
    this.#seekFrom(this.position + (direction > 0 ? 0 : -2), is, direction);
  }

  #seekFrom(from: number, is: (index: number) => boolean, direction: 1 | -1): void {
    const { length } = this.run.events;
    let k = from;
    while (k >= 0 && k < length && !is(k)) k += direction;
    if (k >= 0 && k < length) {
      this.goTo(k + 1);
      return;
    }
    const isFar = length > this.position + prefetchEvents;
    const goesOn = () => this.#seekFrom(length, is, direction);
    if (direction > 0 && !isFar && this.#whenKnown(length + 1, goesOn)) return;
    const none = isFar
      ? `there is no other in the next ${prefetchEvents} events`
      : 'there is no other until the end';
    this.reportProblem(direction > 0 ? none : 'there is none before');
  }

  /** Does this once so much is known, or all is; false if all is now. */
  #whenKnown(upTo: number, go: () => void): boolean {
    if (this.run.isOver || this.run.isLost) return false;
    this.#deferred = { upTo, go };
    this.notify();
    return true;
  }

  play(isPlaying = !this.isPlaying): void {
    this.#deferred = null;
    if (isPlaying && this.run.isOver && this.position >= this.run.events.length) this.goTo(0);
    this.isPlaying = isPlaying;
    if (!isPlaying) this.cursor = this.position;
    this.notify();
  }

  select(selection: LabSelection | null): void {
    this.selection = selection;
    this.problem = null;
    this.notify();
  }

  hover(event: number | null): void {
    if (event === this.hovered) return;
    this.hovered = event;
    this.notify();
  }

  /** One frame: time goes on, and the run becomes known further ahead. True if something moves. */
  advanceFrame(milliseconds: number, isStill: boolean): boolean {
    this.#prefetch();
    const before = this.cursor;
    if (this.isPlaying) this.#advance((milliseconds / 1000) * this.speed);
    else if (isStill || Math.abs(this.cursor - this.position) < 0.02) this.cursor = this.position;
    else this.cursor += (this.position - this.cursor) * Math.min(1, milliseconds / 70);
    return this.cursor !== before;
  }

  /** A picture about to go holds still. */
  #advance(steps: number): void {
    if (this.#pending?.kind === 'load') return;
    const end = this.run.events.length;
    this.cursor = Math.min(this.cursor + steps, end);
    const position = Math.floor(this.cursor);
    const isEnd = this.cursor >= end && this.run.isOver;
    if (isEnd) this.isPlaying = false;
    if (position !== this.position || isEnd) {
      this.position = position;
      this.notify();
    }
  }

  async #prefetch(): Promise<void> {
    const { run, position } = this;
    const known = run.events.length;
    const isFar = this.traceIndex.messages.size > prefetchMessages && known > position + nearbyEvents;
    const upTo = Math.max(isFar ? 0 : position + prefetchEvents, this.#deferred?.upTo ?? 0);
    if (known >= upTo || this.#pending !== null) return;
    try {
      if (!(await this.#client.fetchMore(run, upTo)) || run !== this.run) return;
      this.spaceTime.extend();
      const later = this.#deferred;
      if (later && (run.events.length >= later.upTo || run.isOver)) {
        this.#deferred = null;
        later.go();
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#deferred = null;
      this.problem = error.message;
    }
    this.notify();
  }
}
