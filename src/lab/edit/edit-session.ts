// What is being written, and what came of trying it. It stays when another view is looked at.

import type { EditorState } from '@codemirror/state';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { sourceTextOf } from '../panels/source.tsx';
import { stubAlgorithm } from '../run-worker/algorithm-stub.ts';
import { firstScenario } from '../state/first-scenario.ts';
import type { LabStore } from '../state/lab-store.ts';
import { pack, unpack } from '../state/packed-text.ts';
import type { PageState } from '../state/permalink.ts';
import type { CustomAlgorithm } from '../state/run-spec.ts';
import { compileInWorker } from './compiler-client.ts';
import { runInSandbox, type SandboxProgress, type SandboxResult, type SandboxTask } from './sandbox.ts';
import { diagnosticOf, lineAt, type ThrownError } from './source-positions.ts';
import { compositionTemplate, type Template, templates } from './templates.ts';
import type { CompiledText, TextDiagnostic } from './typescript-compiler.ts';

export interface EditOutcome {
  readonly tone: 'good' | 'bad' | 'neutral';
  readonly text: string;
  readonly watch?: { readonly label: string; readonly open: () => void };
}

const compileDelay = 250; // milliseconds without a key before the text is read

export class EditSession {
  readonly lab: LabStore;
  text = '';
  version = 0; // of a text that did not come from the keyboard
  savedEditor: { readonly state: EditorState; readonly top: number } | null = null; // the editor, when it was last seen
  startedFrom = ''; // a template or an algorithm
  diagnostics: readonly TextDiagnostic[] = [];
  isCompiled = false; // the problems are those of the text as it stands
  outcome: EditOutcome | null = null;
  pendingTask: SandboxTask['what'] | null = null;
  progress: SandboxProgress | null = null;
  isFromLink = false; // it came with a link, and nobody has run it
  #stop: (() => void) | null = null;
  #timer = 0;
  #lastAlgorithm: EitherAlgorithm;
  #link: PageState | null = null; // the last that was opened,
  #linkText = ''; // and its text
  readonly #listeners = new Set<() => void>();

  constructor(lab: LabStore) {
    this.lab = lab;
    this.#lastAlgorithm = lab.algorithm;
    if (lab.unconfirmedLink === null) this.startFromAlgorithm(lab.algorithm);
    this.#syncWithLab();
    lab.subscribe(() => this.#syncWithLab());
  }

  /** A link was opened, or another algorithm chosen while one edits. */
  #syncWithLab(): void {
    const { algorithm, view, customAlgorithm } = this.lab;
    if (algorithm !== this.#lastAlgorithm && view === 'edit' && customAlgorithm === null)
      this.startFromAlgorithm(algorithm);
    this.#lastAlgorithm = algorithm;
    if (this.lab.unconfirmedLink === this.#link) return;
    this.#link = this.lab.unconfirmedLink;
    if (this.#link) this.#startFromLink(this.#link);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  get template(): Template | undefined {
    if (this.startedFrom.includes('+')) return compositionTemplate(this.startedFrom);
    return templates.find(({ id }) => id === this.startedFrom);
  }

  /** Of several algorithms in the text, the one that was begun with; else the first that has a name. */
  get name(): string {
    const names = [...this.text.matchAll(/\bname: ['"]([\w+-]+)['"]/g)].map(([, name]) => name!);
    return names.find((name) => name === this.startedFrom) ?? names[0] ?? 'mine';
  }

  startFromTemplate(template: Template): void {
    this.#startFrom(template.id, template.text);
  }

  async startFromAlgorithm(algorithm: EitherAlgorithm): Promise<void> {
    this.#startFrom(algorithm.name, await sourceTextOf(algorithm));
  }

  /** A text from a link is only shown. */
  async #startFromLink({ algorithm, source = '' }: PageState): Promise<void> {
    try {
      this.#linkText = await unpack(source);
      this.#startFrom(algorithm, this.#linkText);
      this.isFromLink = true;
      this.#changed();
    } catch (error) {
      this.#setOutcome('bad', withFullStop((error as Error).message));
    }
  }

  #startFrom(start: string, text: string): void {
    this.stop();
    this.startedFrom = start;
    this.isFromLink = false;
    this.version += 1;
    this.setText(text);
  }

  /** The text is now this one. */
  setText(text: string): void {
    this.text = text;
    this.outcome = null;
    this.isCompiled = false;
    this.#changed();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#compile(), compileDelay);
  }

  async #compile(): Promise<CompiledText | null> {
    const { text } = this;
    clearTimeout(this.#timer);
    try {
      const isLinked = this.#link !== null && text === this.#linkText; // browsers may pack differently
      const packing = isLinked ? this.#link!.source! : pack(text);
      const [packed, compiled] = await Promise.all([packing, compileInWorker(text)]);
      if (text !== this.text) return null;
      this.isCompiled = true;
      this.diagnostics = compiled.syntax.length > 0 ? compiled.syntax : compiled.types;
      this.lab.draft = { name: this.name, packed };
      this.lab.notify();
      this.#changed();
      return compiled;
    } catch (error) {
      this.#setOutcome('bad', withFullStop((error as Error).message));
      return null;
    }
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
    this.pendingTask = null;
    this.progress = null;
    this.#changed();
  }

  async run(): Promise<void> {
    const scene = this.#sceneToRun();
    const what = scene?.trace ? 'read' : 'run'; // what has been need not be tried
    const tried = await this.#runInSandbox(what, scene?.fields ?? null, scene?.interventions ?? []);
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
      this.#setOutcome('bad', withFullStop(`Violated: ${result.verdict.replace(' is violated', '')}`), {
        label: 'Watch it',
        open: () => open(result.events),
      });
  }

  /** As the link has it; or as the last text of this name ran, from the beginning; or null. */
  #sceneToRun(): PageState | null {
    const { unconfirmedLink, customAlgorithm, algorithm, fields, spacing } = this.lab;
    if (this.isFromLink && unconfirmedLink?.trace)
      return this.text === this.#linkText ? unconfirmedLink : null;
    if (this.isFromLink && unconfirmedLink)
      return Object.keys(unconfirmedLink.fields).length > 0 ? unconfirmedLink : null;
    if (customAlgorithm === null || algorithm.name !== this.name || this.lab.run.isRecorded) return null;
    return { algorithm: algorithm.name, fields, interventions: [], position: null, spacing };
  }

  async check(n: number): Promise<void> {
    const tried = await this.#runInSandbox('check', { n: `${n}` }, []);
    if (tried?.result.kind !== 'checked') return;
    const { result, own } = tried;
    const { violation, complete, states, leftOut } = result;
    const count = states.toLocaleString('en');
    if (violation !== null) {
      const open = () => this.lab.openTrace(violation.trace, 'the counterexample', own);
      this.#setOutcome('bad', withFullStop(`Violated: ${violation.property}: ${violation.why}`), {
        label: 'Watch the counterexample',
        open,
      });
    } else if (complete)
      this.#setOutcome(
        'good',
        `Nothing is violated, whatever the order of events: all ${count} states of ${n} processes.`,
      );
    else this.#setOutcome('neutral', `Nothing was found in ${count} states, but ${leftOut} was left out.`);
  }

  /** Reads the text, and tries it in a thread of its own. */
  async #runInSandbox(
    what: SandboxTask['what'],
    fields: PageState['fields'] | null,
    interventions: PageState['interventions'],
  ): Promise<{ readonly result: SandboxSuccess; readonly own: CustomAlgorithm } | null> {
    this.stop();
    this.pendingTask = what;
    this.outcome = null;
    this.#changed();
    const compiled = await this.#compile();
    if (compiled === null || this.pendingTask !== what) return null;
    if (compiled.syntax.length > 0) return this.#reportDiagnostic(compiled.syntax);
    const { text, name } = this;
    const task = { what, code: compiled.code, algorithmName: name, fields, interventions };
    const { result: promised, stop } = runInSandbox(task, (progress) => {
      this.progress = progress;
      this.#changed();
    });
    this.#stop = stop;
    const result = await promised;
    this.stop();
    if (text !== this.text) return null; // another text is being written
    const thrown = thrownIn(result);
    if (thrown) {
      this.diagnostics = [diagnosticOf(thrown, text, compiled.map), ...compiled.types];
      this.#changed();
    }
    if (result.kind === 'failed') return this.#reportDiagnostic(this.diagnostics.slice(0, 1));
    if (result.kind === 'late') {
      this.#setOutcome(what === 'check' ? 'neutral' : 'bad', timeoutTexts[what]);
      return null;
    }
    const { code } = compiled;
    const own = { algorithm: stubAlgorithm(result.algorithm), code, text, packed: this.lab.draft!.packed };
    this.isFromLink = false;
    return { result, own };
  }

  #reportDiagnostic([first]: readonly TextDiagnostic[]): null {
    this.pendingTask = null;
    this.#setOutcome('bad', withFullStop(`Line ${lineAt(this.text, first!.from)}: ${first!.message}`));
    return null;
  }

  #setOutcome(tone: EditOutcome['tone'], text: string, watch?: EditOutcome['watch']): void {
    this.pendingTask = null;
    this.outcome = { tone, text, ...(watch && { watch }) };
    this.#changed();
  }
}

type SandboxSuccess = Extract<SandboxResult, { readonly algorithm: unknown }>;

const endless = 'It was stopped: after four seconds it had not come to an end.';
const timeoutTexts = {
  read: endless,
  run: endless,
  check:
    'It was stopped after a minute, and nothing was found until then. With fewer processes there is less to look at.',
};

const thrownIn = (result: SandboxResult): ThrownError | null =>
  result.kind === 'late' ? null : result.thrown;

const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
