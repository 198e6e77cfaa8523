// What is being written, and what came of trying it. It stays when another view is looked at.

import type { EditorState } from '@codemirror/state';
import type { EitherAlgorithm } from '../../machine/index.ts';
import type { Scene } from '../address.ts';
import { firstScenario } from '../first-scenario.ts';
import type { Lab } from '../lab.ts';
import type { Own } from '../next.ts';
import { pack, unpack } from '../packed.ts';
import { standIn } from '../run/description.ts';
import { textOf } from '../source.tsx';
import type { Compiled, Problem } from './compile.ts';
import { compile } from './compiler.ts';
import { lineAt, problemOf, type Thrown } from './places.ts';
import { composition, type Template, templates } from './templates.ts';
import { attempt, type Progress, type Result, type Task } from './trial.ts';

export interface Outcome {
  readonly tone: 'good' | 'bad' | 'neutral';
  readonly text: string;
  readonly watch?: { readonly label: string; readonly open: () => void };
}

const patience = 250; // milliseconds without a key before the text is read

export class Workshop {
  readonly lab: Lab;
  text = '';
  version = 0; // of a text that did not come from the keyboard
  left: { readonly state: EditorState; readonly top: number } | null = null; // the editor, when it was last seen
  start = ''; // a template or an algorithm
  problems: readonly Problem[] = [];
  isRead = false; // the problems are those of the text as it stands
  outcome: Outcome | null = null;
  doing: Task['what'] | null = null;
  progress: Progress | null = null;
  isForeign = false; // it came with a link, and nobody has run it
  #stop: (() => void) | null = null;
  #timer = 0;
  #seen: EitherAlgorithm;
  #link: Scene | null = null; // the last that was opened,
  #linkText = ''; // and its text
  readonly #listeners = new Set<() => void>();

  constructor(lab: Lab) {
    this.lab = lab;
    this.#seen = lab.algorithm;
    if (lab.linked === null) this.beginWith(lab.algorithm);
    this.#follow();
    lab.subscribe(() => this.#follow());
  }

  /** A link was opened, or another algorithm chosen while one edits. */
  #follow(): void {
    const { algorithm, view, own } = this.lab;
    if (algorithm !== this.#seen && view === 'edit' && own === null) this.beginWith(algorithm);
    this.#seen = algorithm;
    if (this.lab.linked === this.#link) return;
    this.#link = this.lab.linked;
    if (this.#link) this.#beginWithLink(this.#link);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  get template(): Template | undefined {
    if (this.start.includes('+')) return composition(this.start);
    return templates.find(({ id }) => id === this.start);
  }

  /** Of several algorithms in the text, the one that was begun with; else the first that has a name. */
  get name(): string {
    const names = [...this.text.matchAll(/\bname: ['"]([\w+-]+)['"]/g)].map(([, name]) => name!);
    return names.find((name) => name === this.start) ?? names[0] ?? 'mine';
  }

  beginWithTemplate(template: Template): void {
    this.#begin(template.id, template.text);
  }

  async beginWith(algorithm: EitherAlgorithm): Promise<void> {
    this.#begin(algorithm.name, await textOf(algorithm));
  }

  /** A text from a link is only shown. */
  async #beginWithLink({ algorithm, source = '' }: Scene): Promise<void> {
    try {
      this.#linkText = await unpack(source);
      this.#begin(algorithm, this.#linkText);
      this.isForeign = true;
      this.#changed();
    } catch (error) {
      this.#say('bad', sentence((error as Error).message));
    }
  }

  #begin(start: string, text: string): void {
    this.stop();
    this.start = start;
    this.isForeign = false;
    this.version += 1;
    this.write(text);
  }

  /** The text is now this one. */
  write(text: string): void {
    this.text = text;
    this.outcome = null;
    this.isRead = false;
    this.#changed();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#read(), patience);
  }

  async #read(): Promise<Compiled | null> {
    const { text } = this;
    clearTimeout(this.#timer);
    try {
      const isLinked = this.#link !== null && text === this.#linkText; // browsers may pack differently
      const packing = isLinked ? this.#link!.source! : pack(text);
      const [packed, compiled] = await Promise.all([packing, compile(text)]);
      if (text !== this.text) return null;
      this.isRead = true;
      this.problems = compiled.syntax.length > 0 ? compiled.syntax : compiled.types;
      this.lab.draft = { name: this.name, packed };
      this.lab.changed();
      this.#changed();
      return compiled;
    } catch (error) {
      this.#say('bad', sentence((error as Error).message));
      return null;
    }
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
    this.doing = null;
    this.progress = null;
    this.#changed();
  }

  async run(): Promise<void> {
    const scene = this.#sceneToRun();
    const what = scene?.trace ? 'read' : 'run'; // what has been need not be tried
    const tried = await this.#try(what, scene?.fields ?? null, scene?.interventions ?? []);
    if (tried?.result.kind !== 'ran') return;
    const { result, own } = tried;
    const { algorithm } = own;
    const open = (position: number | null) => {
      this.lab.load(
        {
          algorithm: algorithm.name,
          fields: scene?.fields ?? firstScenario(algorithm),
          interventions: scene?.interventions ?? [],
          position,
          spacing: scene?.spacing ?? this.lab.spacing,
          ...(scene?.trace && { trace: scene.trace }),
        },
        own,
      );
    };
    if (result.thrown === null) open(scene?.position ?? null);
    else
      this.#say('bad', sentence(`Violated: ${result.verdict.replace(' is violated', '')}`), {
        label: 'Watch it',
        open: () => open(result.events),
      });
  }

  /** As the link has it; or as the last text of this name ran, from the beginning; or null. */
  #sceneToRun(): Scene | null {
    const { linked, own, algorithm, fields, spacing } = this.lab;
    if (this.isForeign && linked?.trace) return this.text === this.#linkText ? linked : null;
    if (this.isForeign && linked) return Object.keys(linked.fields).length > 0 ? linked : null;
    if (own === null || algorithm.name !== this.name || this.lab.show.isRecorded) return null;
    return { algorithm: algorithm.name, fields, interventions: [], position: null, spacing };
  }

  async check(n: number): Promise<void> {
    const tried = await this.#try('check', { n: `${n}` }, []);
    if (tried?.result.kind !== 'checked') return;
    const { result, own } = tried;
    const { violation, complete, states, leftOut } = result;
    const count = states.toLocaleString('en');
    if (violation !== null) {
      const open = () => this.lab.openTrace(violation.trace, 'the counterexample', own);
      this.#say('bad', sentence(`Violated: ${violation.property}: ${violation.why}`), {
        label: 'Watch the counterexample',
        open,
      });
    } else if (complete)
      this.#say(
        'good',
        `Nothing is violated, whatever the order of events: all ${count} states of ${n} processes.`,
      );
    else this.#say('neutral', `Nothing was found in ${count} states, but ${leftOut} was left out.`);
  }

  /** Reads the text, and tries it in a thread of its own. */
  async #try(
    what: Task['what'],
    fields: Scene['fields'] | null,
    interventions: Scene['interventions'],
  ): Promise<{ readonly result: Tried; readonly own: Own } | null> {
    this.stop();
    this.doing = what;
    this.outcome = null;
    this.#changed();
    const compiled = await this.#read();
    if (compiled === null || this.doing !== what) return null;
    if (compiled.syntax.length > 0) return this.#refuse(compiled.syntax);
    const { text, name } = this;
    const task = { what, code: compiled.code, called: name, fields, interventions };
    const { result: promised, stop } = attempt(task, (progress) => {
      this.progress = progress;
      this.#changed();
    });
    this.#stop = stop;
    const result = await promised;
    this.stop();
    if (text !== this.text) return null; // another text is being written
    const thrown = thrownIn(result);
    if (thrown) {
      this.problems = [problemOf(thrown, text, compiled.map), ...compiled.types];
      this.#changed();
    }
    if (result.kind === 'failed') return this.#refuse(this.problems.slice(0, 1));
    if (result.kind === 'late') {
      this.#say(what === 'check' ? 'neutral' : 'bad', lateness[what]);
      return null;
    }
    const { code } = compiled;
    const own = { algorithm: standIn(result.algorithm), code, text, packed: this.lab.draft!.packed };
    this.isForeign = false;
    return { result, own };
  }

  #refuse([first]: readonly Problem[]): null {
    this.doing = null;
    this.#say('bad', sentence(`Line ${lineAt(this.text, first!.from)}: ${first!.message}`));
    return null;
  }

  #say(tone: Outcome['tone'], text: string, watch?: Outcome['watch']): void {
    this.doing = null;
    this.outcome = { tone, text, ...(watch && { watch }) };
    this.#changed();
  }
}

type Tried = Extract<Result, { readonly algorithm: unknown }>;

const endless = 'It was stopped: after four seconds it had not come to an end.';
const lateness = {
  read: endless,
  run: endless,
  check:
    'It was stopped after a minute, and nothing was found until then. With fewer processes there is less to look at.',
};

const thrownIn = (result: Result): Thrown | null => (result.kind === 'late' ? null : result.thrown);

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
