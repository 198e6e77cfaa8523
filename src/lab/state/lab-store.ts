import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { parseTrace, type Trace } from '../../core/trace.ts';
import { SpaceTimeLayout, type Spacing, type TraceIndex } from '../../diagram/index.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import type { Intervention } from '../../sim/index.ts';
import { interventionsText, type ScheduledIntervention } from '../../timeline/index.ts';
import type { MakeRunWorker } from '../run-worker/run-client.ts';
import { RunClient } from '../run-worker/run-client.ts';
import type { RunSource } from '../run-worker/run-protocol.ts';
import type { RunReplica } from '../run-worker/run-replica.ts';
import { maxTraceLength, unpack } from './packed-text.ts';
import { type PageState, permalinkOf } from './permalink.ts';
import { type CustomAlgorithm, type RunSpec, setupFor, specFromScenario, specFromTrace } from './run-spec.ts';
import type { SavableFile } from './savable-file.ts';

export type LabSelection =
  | { readonly process: Pid }
  | { readonly message: number }
  | { readonly between: readonly [Pid, Pid] };

/** Finds the version of the text of an algorithm of the catalogue. */
type VersionOf = (algorithm: EitherAlgorithm) => Promise<string | null>;

export const speeds = [0.5, 1, 2, 4, 8, 16, 64] as const;
const prefetchEvents = 20_000; // loaded beyond the current position
const prefetchMessages = 200_000; // with more messages than this, only the nearby events are loaded
const nearbyEvents = 30;

/** The state of the page and the actions on it. Views subscribe to its changes and draw it. */
export class LabStore {
  algorithm!: EitherAlgorithm;
  fields: Readonly<Record<string, string>> = {};
  run!: RunReplica;
  spaceTime!: SpaceTimeLayout;
  spacing: Spacing = 'even';
  zoom: number | 'fit' = 1; // of the space-time diagram
  position = 0; // number of events that have happened
  cursor = 0; // the position, with fractions while it moves
  isPlaying = false;
  speed: number = 2;
  selection: LabSelection | null = null;
  hovered: number | null = null; // an event
  problem: string | null = null; // why the last action failed
  runVersion = 0; // increases with every run displayed
  view = 'run';
  checkRequest = ''; // of the check view; empty until the user makes one
  isCheckPending = false; // the check view starts it when it opens
  sweep = ''; // of the measure view; empty until it opens
  viewFiles: readonly SavableFile[] | null = null; // the view exports these; null: the files of the run
  customAlgorithm: CustomAlgorithm | null = null; // the algorithm that runs, if it is not in the catalogue
  draft: { readonly name: string; readonly packed: string } | null = null; // the text in the editor
  unconfirmedLink: PageState | null = null; // a link with an algorithm that the user has not agreed to run
  #version: string | null = null; // of the text of the algorithm; null until known, and for one from the editor
  #linkVersion: string | null = null; // of the link that was opened
  readonly #client: RunClient;
  readonly #versionOf: VersionOf;
  readonly #listeners = new Set<() => void>();
  #pending: { readonly kind: 'load' | 'act'; readonly isDone: Promise<boolean> } | null = null; // until the new run is displayed
  #generation = 0; // of the latest load
  #deferred: { readonly upTo: number; readonly go: () => void } | null = null; // runs when that many events are known

  constructor(makeWorker: MakeRunWorker, versionOf: VersionOf) {
    this.#client = new RunClient(makeWorker);
    this.#versionOf = versionOf;
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
    const pageState = view === 'edit' && draft ? this.#draftPageState(draft) : this.#runPageState;
    return { ...pageState, view, check: this.checkRequest, measure: this.sweep };
  }

  get #runPageState(): PageState {
    const { algorithm, spacing, position, customAlgorithm } = this;
    const { interventions, packed } = this.run;
    const fields = packed === null ? this.fields : {};
    const version = this.#linkVersion ?? this.#version;
    const texts = {
      ...(version !== null && { version }),
      ...(customAlgorithm && { source: customAlgorithm.packed }),
      ...(packed !== null && { trace: packed }),
    };
    return { algorithm: algorithm.name, fields, interventions, position, spacing, ...texts };
  }

  /** Returns the state of a draft, with the run of the same text if there is one. */
  #draftPageState({ name, packed }: { readonly name: string; readonly packed: string }): PageState {
    if (packed === this.unconfirmedLink?.source) return this.unconfirmedLink;
    if (packed === this.customAlgorithm?.packed) return this.#runPageState;
    const { spacing } = this;
    return { algorithm: name, fields: {}, interventions: [], position: null, spacing, source: packed };
  }

  /** Whether the text of the algorithm has changed since the link was made. */
  get hasTextChanged(): boolean {
    return this.#linkVersion !== null && this.#version !== null && this.#linkVersion !== this.#version;
  }

  /** Null while a recorded run is displayed that is not packed yet, or too long for a link. */
  get permalink(): string | null {
    const isMissing = this.view === 'run' && this.run.isRecorded && this.run.packed === null;
    return isMissing ? null : permalinkOf(this.pageState);
  }

  /** Loads a page state. Returns false and keeps the current run if the state is invalid, or if another load started meanwhile. */
  load(pageState: PageState, customAlgorithm: CustomAlgorithm | null = null): Promise<boolean> {
    const { trace, position } = pageState;
    const { checkRequest } = this;
    const makeSpec = trace
      ? async () =>
          specFromTrace(
            parseTrace(await unpack(trace, maxTraceLength), 'the link'),
            'the link',
            customAlgorithm,
            position,
          )
      : () => specFromScenario(pageState, customAlgorithm);
    return this.#replaceRun('load', makeSpec, () => {
      this.#linkVersion = customAlgorithm ? null : (pageState.version ?? null);
      this.spacing = pageState.spacing;
      this.view = pageState.view ?? 'run';
      const isOld = this.checkRequest === checkRequest || this.checkRequest === pageState.algorithm; // or adds nothing to the page state
      this.checkRequest = pageState.check ?? (isOld ? '' : this.checkRequest);
      this.isCheckPending = this.view === 'check' && (pageState.check ?? '') !== '';
      this.sweep = pageState.measure ?? this.sweep;
      this.problem = pageState.unknownParameters ?? null;
      this.isPlaying = position === null && !trace && this.view === 'run';
    });
  }

  /** Restarts the algorithm with another scenario. */
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

  /** Opens the check view and starts a check. */
  openCheck(request: string): void {
    this.checkRequest = request;
    this.isCheckPending = true;
    this.openView('check');
  }

  openTrace(
    trace: Trace | string,
    name: string,
    customAlgorithm: CustomAlgorithm | null = null,
  ): Promise<boolean> {
    return this.#replaceRun(
      'load',
      () =>
        specFromTrace(
          typeof trace === 'string' ? parseTrace(trace, name) : trace,
          name,
          customAlgorithm,
          null,
        ),
      () => {
        const checked = this.checkRequest.split(';')[0];
        if (customAlgorithm && checked !== customAlgorithm.algorithm.name) this.checkRequest = '';
        this.#linkVersion = null;
        this.isPlaying = false;
        this.view = 'run';
      },
    );
  }

  /** Intervenes at the current position. Later events are simulated anew. */
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

  /** Applies interventions one at a time. Drops an intervention while another run is loading. */
  async #changeInterventions(
    change: (
      scenario: Extract<RunSource, { kind: 'scenario' }>['scenario'],
    ) => Pick<RunSpec, 'runSource' | 'position'>,
  ): Promise<boolean> {
    while (this.#pending?.kind === 'act') await this.#pending.isDone;
    if (this.#pending !== null || this.run.isRecorded) return false;
    const { algorithm, customAlgorithm, fields, selection } = this;
    const makeSpec = () => ({
      algorithm,
      customAlgorithm,
      fields,
      ...change({ fields, interventions: this.run.interventions }),
    });
    return this.#replaceRun('act', makeSpec, () => {
      this.isPlaying = false;
      this.selection = selection;
    });
  }

  /** Displays another run when its first events are known, unless a later load replaces it. */
  #replaceRun(
    kind: 'load' | 'act',
    makeSpec: () => RunSpec | Promise<RunSpec>,
    onLoad: () => void,
  ): Promise<boolean> {
    this.problem = null;
    this.#deferred = null;
    const pending = { kind, isDone: this.#loadRun(makeSpec, onLoad) };
    this.#pending = pending;
    const end = () => {
      if (this.#pending === pending) this.#pending = null;
    };
    pending.isDone.then(end, end);
    return pending.isDone;
  }

  async #loadRun(makeSpec: () => RunSpec | Promise<RunSpec>, onLoad: () => void): Promise<boolean> {
    this.#generation += 1;
    const { view } = this;
    const generation = this.#generation;
    try {
      const spec = await makeSpec();
      if (generation !== this.#generation) return false;
      const { algorithm, customAlgorithm, fields, runSource } = spec;
      const setup = setupFor(spec);
      const algorithmRef = { name: algorithm.name, ...(customAlgorithm && { code: customAlgorithm.code }) };
      const begun = await this.#client.begin({
        algorithm: algorithmRef,
        setup,
        runSource,
        position: spec.position,
      });
      if (begun === null) return false;
      if (algorithm !== this.algorithm) this.#findVersion(algorithm, customAlgorithm !== null);
      this.algorithm = algorithm;
      this.customAlgorithm = customAlgorithm;
      this.fields = fields;
      this.selection = null;
      const openedView = this.view === view ? null : this.view; // another view was opened meanwhile
      onLoad();
      if (openedView !== null) [this.view, this.isPlaying] = [openedView, false];
      this.#display(begun.run, begun.position);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      if (generation === this.#generation) this.reportProblem(error.message);
      return false;
    }
  }

  async #findVersion(algorithm: EitherAlgorithm, isCustom: boolean): Promise<void> {
    this.#version = null;
    if (isCustom) return;
    const version = await this.#versionOf(algorithm).catch(() => null); // the lab may not be served any more
    if (algorithm !== this.algorithm) return;
    this.#version = version;
    this.notify();
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

  /** Goes to a position, or as far as events are known, and on when more are. */
  goTo(position: number, glides = false): void {
    const known = this.run.events.length;
    this.#deferred = null;
    if (position > known) this.#whenKnown(position, () => this.goTo(position, glides));
    this.position = Math.max(0, Math.min(position, known));
    if (!glides || Math.abs(this.cursor - this.position) > 1.5) this.cursor = this.position;
    this.problem = null;
    this.notify();
  }

  /** Goes to the end, or as far as the next prefetch gets if the end is far away. */
  goToEnd(): void {
    this.isPlaying = false;
    const { length } = this.run.events;
    if (!this.#whenKnown(length + prefetchEvents, () => this.goTo(this.run.events.length))) this.goTo(length);
  }

  step(by: number): void {
    this.isPlaying = false;
    this.goTo(this.position + by, true);
  }

  /** Goes to the next or previous event that satisfies the predicate. */
  seek(satisfies: (index: number) => boolean, direction: 1 | -1 = 1): void {
    this.isPlaying = false;
    this.#seekFrom(this.position + (direction > 0 ? 0 : -2), satisfies, direction);
  }

  #seekFrom(from: number, satisfies: (index: number) => boolean, direction: 1 | -1): void {
    const { length } = this.run.events;
    let k = from;
    while (k >= 0 && k < length && !satisfies(k)) k += direction;
    if (k >= 0 && k < length) {
      this.goTo(k + 1);
      return;
    }
    const isFar = length > this.position + prefetchEvents;
    const seekOn = () => this.#seekFrom(length, satisfies, direction);
    if (direction > 0 && !isFar && this.#whenKnown(length + 1, seekOn)) return;
    const notFound = isFar
      ? `there is no other in the next ${prefetchEvents} events`
      : 'there is no other until the end';
    this.reportProblem(direction > 0 ? notFound : 'there is none before');
  }

  /** Defers a function until that many events are known, or all. Returns false if no more will be known. */
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

  /** Advances the cursor by one frame and prefetches events. Returns whether the cursor moved. */
  advanceFrame(milliseconds: number, isStill: boolean): boolean {
    this.#prefetch();
    const before = this.cursor;
    if (this.isPlaying) this.#advance((milliseconds / 1000) * this.speed);
    else if (isStill || Math.abs(this.cursor - this.position) < 0.02) this.cursor = this.position;
    else this.cursor += (this.position - this.cursor) * Math.min(1, milliseconds / 70);
    return this.cursor !== before;
  }

  /** Plays on, except while another run is loading. */
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
      const deferred = this.#deferred;
      if (deferred && (run.events.length >= deferred.upTo || run.isOver)) {
        this.#deferred = null;
        deferred.go();
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#deferred = null;
      this.problem = error.message;
    }
    this.notify();
  }
}
