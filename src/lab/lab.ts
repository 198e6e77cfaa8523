import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { parseTrace } from '../core/trace.ts';
import { Chronicle, SpaceTime, type Spacing } from '../diagram/index.ts';
import { type Action, parseFields } from '../sim/index.ts';
import { type Intervention, open, type Show, Stage } from '../stage/index.ts';
import { addressOf, type Scene } from './address.ts';
import { find } from './catalogue.ts';

export type Selection =
  | { readonly process: Pid }
  | { readonly message: number }
  | { readonly between: readonly [Pid, Pid] };

export const speeds = [0.5, 1, 2, 4, 8, 16, 64] as const;
const ahead = 20_000; // events that become known without being looked at,
const aheadMessages = 200_000; // unless they send too many messages
const atOnce = 30; // events that are known when a run is first shown
const most = 5000; // processes
const slice = 6; // milliseconds for that, in each frame

/** An algorithm that somebody wrote here. */
export interface Own {
  readonly algorithm: AnyAlgorithm;
  readonly text: string;
  readonly packed: string; // for the address
}

/** What is on the page, and what can be done to it. Views draw it and are told when it has changed. */
export class Lab {
  algorithm!: AnyAlgorithm;
  fields: Readonly<Record<string, string>> = {};
  show!: Show;
  chronicle!: Chronicle;
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
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  get stage(): Stage | null {
    return this.show instanceof Stage ? this.show : null;
  }

  get scene(): Scene {
    const { view, draft } = this;
    const scene = view === 'edit' && draft ? this.#sceneOf(draft) : this.#running;
    return { ...scene, view, check: this.question, measure: this.sweep };
  }

  get #running(): Scene {
    const { algorithm, fields, spacing, position, own } = this;
    return {
      algorithm: algorithm.name,
      fields,
      interventions: this.stage?.interventions ?? [],
      position,
      spacing,
      ...(own && { source: own.packed }),
    };
  }

  /** With the run that belongs to a text, if there is one. */
  #sceneOf({ name, packed }: { readonly name: string; readonly packed: string }): Scene {
    if (packed === this.linked?.source) return this.linked;
    if (packed === this.own?.packed) return this.#running;
    const { spacing } = this;
    return { algorithm: name, fields: {}, interventions: [], position: null, spacing, source: packed };
  }

  get address(): string {
    return addressOf(this.scene);
  }

  /** Shows a scene; what is wrong with it is said, and everything stays as it was. */
  load(scene: Scene, own: Own | null = null): boolean {
    return this.#attempt(() => {
      const algorithm = own?.algorithm ?? find(scene.algorithm);
      if (!algorithm) throw new InputError(`no algorithm is called '${scene.algorithm}'`);
      if (Number(scene.fields.n) > most)
        throw new InputError(`the lab draws up to ${most} processes; baton simulate runs millions`);
      const stage = new Stage(algorithm, parseFields(scene.fields), scene.interventions);
      stage.reach((scene.position ?? 0) + atOnce);
      this.algorithm = algorithm;
      this.own = own;
      this.fields = scene.fields;
      this.spacing = scene.spacing;
      this.selection = null;
      this.#stand(stage, scene.position ?? 0);
      this.view = scene.view ?? 'run';
      this.question = scene.check ?? '';
      this.isAsked = this.view === 'check' && this.question !== '';
      this.sweep = scene.measure ?? this.sweep;
      this.isPlaying = scene.position === null && this.view === 'run';
    });
  }

  /** Another scenario for this algorithm, from the beginning. */
  set(fields: Readonly<Record<string, string>>): boolean {
    const position = this.isPlaying ? null : 0;
    return this.load(
      {
        algorithm: this.algorithm.name,
        fields,
        interventions: [],
        position,
        spacing: this.spacing,
        check: this.question,
      },
      this.own,
    );
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

  openTrace(text: string, name: string, own: Own | null = null): void {
    this.#attempt(() => {
      const trace = parseTrace(text, name);
      const algorithm = own?.algorithm ?? find(trace.scenario.algorithm ?? '');
      if (!algorithm)
        throw new InputError(`${name} is a trace of '${trace.scenario.algorithm}', which is not shown here`);
      const show = open(algorithm, trace);
      const { algorithm: _, hand, ...fields } = trace.scenario;
      this.algorithm = algorithm;
      this.own = own;
      this.fields = fields;
      this.selection = null;
      this.isPlaying = false;
      this.view = 'run';
      this.#stand(show, show.events.length);
    });
  }

  /** Does something to the run here; the rest of it comes about anew. */
  act(action: Action): void {
    const { stage } = this;
    if (!stage) return;
    this.#attempt(() => {
      const at = stage.pauseFrom(this.position);
      const next = stage.act(at, action);
      if (typeof next === 'string') throw new InputError(next);
      this.isPlaying = false;
      this.#stand(next, action.do === 'delay' ? at : at + 1);
    });
  }

  undo(intervention: Intervention): void {
    if (this.stage) this.#stand(this.stage.without(intervention), Math.min(this.position, intervention.at));
  }

  #attempt(what: () => void): boolean {
    this.problem = null;
    try {
      what();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.problem = error.message;
    }
    this.changed();
    return this.problem === null;
  }

  #stand(show: Show, position: number): void {
    show.reach(position + atOnce);
    this.show = show;
    this.version += 1;
    this.chronicle = new Chronicle(show.setup.n, show.head.ids?.split(',') ?? null);
    this.space = new SpaceTime(this.chronicle, this.spacing);
    this.hovered = null;
    this.#take();
    this.position = Math.min(position, show.events.length);
    this.cursor = this.position;
    this.changed();
  }

  /** Notes what has become known. */
  #take(): void {
    const { events } = this.show;
    for (let k = this.chronicle.events.length; k < events.length; k += 1) this.chronicle.add(events[k]!);
    this.space.extend();
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

  goTo(position: number, glides = false): void {
    this.show.reach(position);
    this.#take();
    this.position = Math.max(0, Math.min(position, this.show.events.length));
    if (!glides || Math.abs(this.cursor - this.position) > 1.5) this.cursor = this.position;
    this.problem = null;
    this.changed();
  }

  step(by: number): void {
    this.isPlaying = false;
    this.goTo(this.position + by, true);
  }

  /** To where the next of these is true of an event. */
  seek(is: (index: number) => boolean, direction: 1 | -1 = 1): void {
    this.isPlaying = false;
    const { events } = this.show;
    for (let k = this.position + (direction > 0 ? 0 : -2); k >= 0; k += direction) {
      if (k >= events.length && !this.show.reach(k + 1)) break;
      if (k >= this.chronicle.events.length) this.#take();
      if (!is(k)) continue;
      this.goTo(k + 1);
      return;
    }
    this.problem = direction > 0 ? 'there is no other until the end' : 'there is none before';
    this.changed();
  }

  play(isPlaying = !this.isPlaying): void {
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
  frame(milliseconds: number, now: () => number, isStill: boolean): boolean {
    const known = this.#lookAhead(now);
    const before = this.cursor;
    if (this.isPlaying) this.#advance((milliseconds / 1000) * this.speed);
    else if (isStill || Math.abs(this.cursor - this.position) < 0.02) this.cursor = this.position;
    else this.cursor += (this.position - this.cursor) * Math.min(1, milliseconds / 70);
    return known || this.cursor !== before;
  }

  #advance(steps: number): void {
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

  #lookAhead(now: () => number): boolean {
    const { show } = this;
    const isFar = this.chronicle.messages.size > aheadMessages && show.events.length > this.position + atOnce;
    if (show.isOver || isFar || show.events.length > this.position + ahead) return false;
    const until = now() + slice;
    while (now() < until && show.reach(show.events.length + 4));
    this.#take();
    this.changed();
    return true;
  }
}
