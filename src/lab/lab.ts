import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { parseTrace, type Trace } from '../core/trace.ts';
import { type Chronicle, SpaceTime, type Spacing } from '../diagram/index.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Action } from '../sim/index.ts';
import { type Intervention, interventionsText } from '../stage/index.ts';
import { addressOf, type Scene } from './address.ts';
import { type Next, type Own, setupFor, staged, traced } from './next.ts';
import { longestTrace, unpack } from './packed.ts';
import type { Order } from './run/protocol.ts';
import type { Run } from './run/run.ts';
import { Runs } from './run/runs.ts';
import type { MakeThread } from './run/thread.ts';

export type Selection =
  | { readonly process: Pid }
  | { readonly message: number }
  | { readonly between: readonly [Pid, Pid] };

export const speeds = [0.5, 1, 2, 4, 8, 16, 64] as const;
const ahead = 20_000; // events that become known without being looked at,
const aheadMessages = 200_000; // unless they send too many messages:
const near = 30; // then only these

/** What is on the page, and what can be done to it. Views draw it and are told when it has changed. */
export class Lab {
  algorithm!: EitherAlgorithm;
  fields: Readonly<Record<string, string>> = {};
  show!: Run;
  space!: SpaceTime;
  spacing: Spacing = 'even';
  zoom: number | 'fit' = 1; // of the space-time diagram
  position = 0; // events that have happened
  cursor = 0; // the same, while it moves
  isPlaying = false;
  speed: number = 2;
  selection: Selection | null = null;
  hovered: number | null = null; // an event
  problem: string | null = null; // why the last thing asked for was not done
  version = 0; // of the run
  view = 'run';
  question = ''; // what the check view asks; empty until somebody has chosen
  isAsked = false; // the check view is to begin with it
  sweep = ''; // what the measure view measures; empty until it has been opened
  own: Own | null = null; // what runs, if it is not of the catalogue
  draft: { readonly name: string; readonly packed: string } | null = null; // what stands in the editor
  linked: Scene | null = null; // a scene with a text of its own, which nobody here has agreed to run
  readonly #runs: Runs;
  readonly #listeners = new Set<() => void>();
  #doing: { readonly kind: 'load' | 'act'; readonly isDone: Promise<boolean> } | null = null; // until it is shown
  #turn = 0; // of what was asked for
  #later: { readonly upTo: number; readonly go: () => void } | null = null; // when so much is known

  constructor(makeThread: MakeThread) {
    this.#runs = new Runs(makeThread);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  refuse(why: string): void {
    this.problem = why;
    this.changed();
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  get chronicle(): Chronicle {
    return this.show.chronicle;
  }

  get scene(): Scene {
    const { view, draft } = this;
    const scene = view === 'edit' && draft ? this.#sceneOf(draft) : this.#running;
    return { ...scene, view, check: this.question, measure: this.sweep };
  }

  get #running(): Scene {
    const { algorithm, spacing, position, own } = this;
    const { interventions, packed } = this.show;
    const fields = packed === null ? this.fields : {};
    const texts = { ...(own && { source: own.packed }), ...(packed !== null && { trace: packed }) };
    return { algorithm: algorithm.name, fields, interventions, position, spacing, ...texts };
  }

  /** With the run that belongs to a text, if there is one. */
  #sceneOf({ name, packed }: { readonly name: string; readonly packed: string }): Scene {
    if (packed === this.linked?.source) return this.linked;
    if (packed === this.own?.packed) return this.#running;
    const { spacing } = this;
    return { algorithm: name, fields: {}, interventions: [], position: null, spacing, source: packed };
  }

  /** Null if what is seen is a recorded run that is too long for an address, or not packed yet. */
  get address(): string | null {
    const isMissing = this.view === 'run' && this.show.isRecorded && this.show.packed === null;
    return isMissing ? null : addressOf(this.scene);
  }

  /** Shows a scene; what is wrong with it is said, and everything stays as it was. False also if something else was asked for meanwhile. */
  load(scene: Scene, own: Own | null = null): Promise<boolean> {
    const { trace, position } = scene;
    const { question } = this;
    const next = trace
      ? async () =>
          traced(parseTrace(await unpack(trace, longestTrace), 'the link'), 'the link', own, position)
      : () => staged(scene, own);
    return this.#change('load', next, () => {
      this.spacing = scene.spacing;
      this.view = scene.view ?? 'run';
      const isOld = this.question === question || this.question === scene.algorithm; // or says no more than the scene
      this.question = scene.check ?? (isOld ? '' : this.question);
      this.isAsked = this.view === 'check' && (scene.check ?? '') !== '';
      this.sweep = scene.measure ?? this.sweep;
      this.problem = scene.unread ?? null;
      this.isPlaying = position === null && !trace && this.view === 'run';
    });
  }

  /** Another scenario for this algorithm, from the beginning. */
  set(fields: Readonly<Record<string, string>>): Promise<boolean> {
    const { spacing, question: check, algorithm, own } = this;
    const position = this.isPlaying ? null : 0;
    return this.load({ algorithm: algorithm.name, fields, interventions: [], position, spacing, check }, own);
  }

  look(view: string): void {
    this.view = view;
    this.isPlaying = false;
    this.problem = null;
    this.changed();
  }

  /** Has the checker answer a question. */
  ask(question: string): void {
    this.question = question;
    this.isAsked = true;
    this.look('check');
  }

  openTrace(trace: Trace | string, name: string, own: Own | null = null): Promise<boolean> {
    return this.#change(
      'load',
      () => traced(typeof trace === 'string' ? parseTrace(trace, name) : trace, name, own, null),
      () => {
        this.isPlaying = false;
        this.view = 'run';
      },
    );
  }

  /** Does something to the run here; the rest of it comes about anew. */
  act(action: Action): Promise<boolean> {
    return this.#interfere((scenario) => {
      const { position, show } = this;
      return { order: { kind: 'act', run: show.id, scenario, position, action }, position: null };
    });
  }

  undo(intervention: Intervention): Promise<boolean> {
    const text = interventionsText([intervention]);
    return this.#interfere(({ fields, interventions }) => {
      const kept = interventions.filter((one) => interventionsText([one]) !== text);
      const order = { kind: 'scenario', scenario: { fields, interventions: kept } } as const;
      return { order, position: Math.min(this.position, intervention.at) };
    });
  }

  /** What is done twice is done one after the other; what is done to a picture about to go is not done. */
  async #interfere(
    what: (scenario: Extract<Order, { kind: 'scenario' }>['scenario']) => Pick<Next, 'order' | 'position'>,
  ): Promise<boolean> {
    while (this.#doing?.kind === 'act') await this.#doing.isDone;
    if (this.#doing !== null || this.show.isRecorded) return false;
    const { algorithm, own, fields, selection } = this;
    const next = () => ({
      algorithm,
      own,
      fields,
      ...what({ fields, interventions: this.show.interventions }),
    });
    return this.#change('act', next, () => {
      this.isPlaying = false;
      this.selection = selection;
    });
  }

  /** Shows another run, as soon as its first events are known, unless something else is asked for until then. */
  #change(kind: 'load' | 'act', next: () => Next | Promise<Next>, then: () => void): Promise<boolean> {
    this.problem = null;
    this.#later = null;
    const doing = { kind, isDone: this.#fetch(next, then) };
    this.#doing = doing;
    const end = () => {
      if (this.#doing === doing) this.#doing = null;
    };
    doing.isDone.then(end, end);
    return doing.isDone;
  }

  async #fetch(next: () => Next | Promise<Next>, then: () => void): Promise<boolean> {
    this.#turn += 1;
    const { view } = this;
    const turn = this.#turn;
    try {
      const wanted = await next();
      if (turn !== this.#turn) return false;
      const { algorithm, own, fields, order } = wanted;
      const setup = setupFor(wanted);
      const subject = { name: algorithm.name, ...(own && { code: own.code }) };
      const begun = await this.#runs.begin({ subject, setup, order, position: wanted.position });
      if (begun === null) return false;
      this.algorithm = algorithm;
      this.own = own;
      this.fields = fields;
      this.selection = null;
      const looked = this.view === view ? null : this.view; // elsewhere, meanwhile
      then();
      if (looked !== null) [this.view, this.isPlaying] = [looked, false];
      this.#stand(begun.run, begun.position);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      if (turn === this.#turn) this.refuse(error.message);
      return false;
    }
  }

  #stand(run: Run, position: number): void {
    this.show = run;
    this.version += 1;
    this.space = new SpaceTime(run.chronicle, this.spacing);
    this.hovered = null;
    this.space.extend();
    this.position = Math.min(position, run.events.length);
    this.cursor = this.position;
    if (run.isRecorded) run.pack().then(() => this.changed());
    this.changed();
  }

  arrange(spacing: Spacing): void {
    this.spacing = spacing;
    this.space = new SpaceTime(this.chronicle, spacing);
    this.changed();
  }

  zoomTo(zoom: number | 'fit'): void {
    this.zoom = zoom === 'fit' ? zoom : Math.min(4, Math.max(0.02, zoom));
    this.changed();
  }

  /** There, or as far as is known, and on when more is. */
  goTo(position: number, glides = false): void {
    const known = this.show.events.length;
    this.#later = null;
    if (position > known) this.#when(position, () => this.goTo(position, glides));
    this.position = Math.max(0, Math.min(position, known));
    if (!glides || Math.abs(this.cursor - this.position) > 1.5) this.cursor = this.position;
    this.problem = null;
    this.changed();
  }

  /** To the end; where that is far, to the end of what is known then. */
  goToEnd(): void {
    this.isPlaying = false;
    const { length } = this.show.events;
    if (!this.#when(length + ahead, () => this.goTo(this.show.events.length))) this.goTo(length);
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
    const { length } = this.show.events;
    let k = from;
    while (k >= 0 && k < length && !is(k)) k += direction;
    if (k >= 0 && k < length) {
      this.goTo(k + 1);
      return;
    }
    const isFar = length > this.position + ahead;
    const goesOn = () => this.#seekFrom(length, is, direction);
    if (direction > 0 && !isFar && this.#when(length + 1, goesOn)) return;
    const none = isFar ? `there is no other in the next ${ahead} events` : 'there is no other until the end';
    this.refuse(direction > 0 ? none : 'there is none before');
  }

  /** Does this once so much is known, or all is; false if all is now. */
  #when(upTo: number, go: () => void): boolean {
    if (this.show.isOver || this.show.isLost) return false;
    this.#later = { upTo, go };
    this.changed();
    return true;
  }

  play(isPlaying = !this.isPlaying): void {
    this.#later = null;
    if (isPlaying && this.show.isOver && this.position >= this.show.events.length) this.goTo(0);
    this.isPlaying = isPlaying;
    if (!isPlaying) this.cursor = this.position;
    this.changed();
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.problem = null;
    this.changed();
  }

  hover(event: number | null): void {
    if (event === this.hovered) return;
    this.hovered = event;
    this.changed();
  }

  /** One frame: time goes on, and the run becomes known further ahead. True if something moves. */
  frame(milliseconds: number, isStill: boolean): boolean {
    this.#lookAhead();
    const before = this.cursor;
    if (this.isPlaying) this.#advance((milliseconds / 1000) * this.speed);
    else if (isStill || Math.abs(this.cursor - this.position) < 0.02) this.cursor = this.position;
    else this.cursor += (this.position - this.cursor) * Math.min(1, milliseconds / 70);
    return this.cursor !== before;
  }

  /** A picture about to go holds still. */
  #advance(steps: number): void {
    if (this.#doing?.kind === 'load') return;
    const end = this.show.events.length;
    this.cursor = Math.min(this.cursor + steps, end);
    const position = Math.floor(this.cursor);
    const isEnd = this.cursor >= end && this.show.isOver;
    if (isEnd) this.isPlaying = false;
    if (position !== this.position || isEnd) {
      this.position = position;
      this.changed();
    }
  }

  async #lookAhead(): Promise<void> {
    const { show, position } = this;
    const known = show.events.length;
    const isFar = this.chronicle.messages.size > aheadMessages && known > position + near;
    const upTo = Math.max(isFar ? 0 : position + ahead, this.#later?.upTo ?? 0);
    if (known >= upTo || this.#doing !== null) return;
    try {
      if (!(await this.#runs.more(show, upTo)) || show !== this.show) return;
      this.space.extend();
      const later = this.#later;
      if (later && (show.events.length >= later.upTo || show.isOver)) {
        this.#later = null;
        later.go();
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#later = null;
      this.problem = error.message;
    }
    this.changed();
  }
}
