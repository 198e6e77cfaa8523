import type { EditorState } from '@codemirror/state';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { coverageText } from '../check/check-request.ts';
import { stubAlgorithm } from '../run-worker/algorithm-stub.ts';
import { firstScenario } from '../state/first-scenario.ts';
import type { LabStore } from '../state/lab-store.ts';
import { pack, unpack } from '../state/packed-text.ts';
import type { PageState } from '../state/permalink.ts';
import type { CustomAlgorithm } from '../state/run-spec.ts';
import { sourceTextOf } from '../state/source-texts.ts';
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

const compileDelay = 250; // milliseconds after the last key

/** The text in the editor, its diagnostics and the outcome of its last run. Survives a change of view. */
export class EditSession {
  readonly lab: LabStore;
  text = '';
  version = 0; // increases when the text is replaced, not typed
  savedEditor: { readonly state: EditorState; readonly top: number } | null = null; // while another view is open
  startedFrom = ''; // id of a template, or name of an algorithm
  diagnostics: readonly TextDiagnostic[] = [];
  isCompiled = false; // the diagnostics belong to the current text
  outcome: EditOutcome | null = null;
  pendingTask: SandboxTask['what'] | null = null;
  progress: SandboxProgress | null = null;
  isFromLink = false; // the text came with a link and has not run yet
  #stop: (() => void) | null = null;
  #timer = 0;
  #lastAlgorithm: EitherAlgorithm;
  #link: PageState | null = null; // the latest that was opened
  #linkText = ''; // its text
  readonly #listeners = new Set<() => void>();

  constructor(lab: LabStore) {
    this.lab = lab;
    this.#lastAlgorithm = lab.algorithm;
    if (lab.unconfirmedLink === null) this.startFromAlgorithm(lab.algorithm);
    this.#syncWithLab();
    lab.subscribe(() => this.#syncWithLab());
  }

  /** Replaces the text when a link is opened, or another algorithm is chosen in the edit view. */
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

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  get template(): Template | undefined {
    if (this.startedFrom.includes('+')) return compositionTemplate(this.startedFrom);
    return templates.find(({ id }) => id === this.startedFrom);
  }

  /** The name of the algorithm to run: of several in the text, the one it started from, else the first. */
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

  /** Shows the text of a link without running it. */
  async #startFromLink({ algorithm, source = '' }: PageState): Promise<void> {
    try {
      this.#linkText = await unpack(source);
      this.#startFrom(algorithm, this.#linkText);
      this.isFromLink = true;
      this.#notify();
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

  setText(text: string): void {
    this.text = text;
    this.outcome = null;
    this.isCompiled = false;
    this.#notify();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#compile(), compileDelay);
  }

  async #compile(): Promise<CompiledText | null> {
    const { text } = this;
    clearTimeout(this.#timer);
    try {
      const isLinked = this.#link !== null && text === this.#linkText; // another browser may have packed it differently
      const packing = isLinked ? this.#link!.source! : pack(text);
      const [packed, compiled] = await Promise.all([packing, compileInWorker(text)]);
      if (text !== this.text) return null;
      this.isCompiled = true;
      this.diagnostics = compiled.syntax.length > 0 ? compiled.syntax : compiled.types;
      this.lab.draft = { name: this.name, packed };
      this.lab.notify();
      this.#notify();
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
    this.#notify();
  }

  async run(): Promise<void> {
    const pageState = this.#pageStateToRun();
    const what = pageState?.trace ? 'read' : 'run'; // a recorded run is not simulated
    const success = await this.#runInSandbox(what, pageState?.fields ?? null, pageState?.interventions ?? []);
    if (success?.result.kind !== 'ran') return;
    const { result, customAlgorithm } = success;
    const { algorithm } = customAlgorithm;
    const open = (position: number | null) => {
      this.lab.load(
        {
          algorithm: algorithm.name,
          fields: pageState?.fields ?? firstScenario(algorithm),
          interventions: pageState?.interventions ?? [],
          position,
          spacing: pageState?.spacing ?? this.lab.spacing,
          ...(pageState?.trace && { trace: pageState.trace }),
          ...(pageState?.view === 'measure' && { view: 'measure' }), // the link was made there
          ...(pageState?.measure && { measure: pageState.measure }),
        },
        customAlgorithm,
      );
    };
    if (result.thrown === null) open(pageState?.position ?? null);
    else
      this.#setOutcome('bad', withFullStop(`Violated: ${result.verdict.replace(' is violated', '')}`), {
        label: 'Watch it',
        open: () => open(result.events),
      });
  }

  /** Returns the state of the link, or that of the last run of this algorithm from its beginning, or null. */
  #pageStateToRun(): PageState | null {
    const { unconfirmedLink, customAlgorithm, algorithm, fields, spacing } = this.lab;
    if (this.isFromLink && unconfirmedLink?.trace)
      return this.text === this.#linkText ? unconfirmedLink : null;
    if (this.isFromLink && unconfirmedLink)
      return Object.keys(unconfirmedLink.fields).length > 0 ? unconfirmedLink : null;
    if (customAlgorithm === null || algorithm.name !== this.name || this.lab.run.isRecorded) return null;
    return { algorithm: algorithm.name, fields, interventions: [], position: null, spacing };
  }

  async check(n: number): Promise<void> {
    const fields = { n: `${n}`, entries: '2' };
    const success = await this.#runInSandbox('check', fields, []);
    if (success?.result.kind !== 'checked') return;
    const { result, customAlgorithm } = success;
    const { violation, verdict, states, leftOut, never } = result;
    const count = states.toLocaleString('en');
    const request = { algorithm: customAlgorithm.algorithm.name, fields, custom: customAlgorithm };
    const unseen = never.length === 0 ? '' : ` Never: ${never.join('; ')}.`;
    const coverage = `${coverageText(request, n)} No faults.${unseen}`;
    if (violation !== null) {
      const open = () => this.lab.openTrace(violation.trace, 'the counterexample', customAlgorithm);
      this.#setOutcome('bad', withFullStop(`Violated: ${violation.property}: ${violation.why}`), {
        label: 'Watch the counterexample',
        open,
      });
    } else if (verdict === 'vacuous')
      this.#setOutcome(
        'neutral',
        `Vacuous: nothing is violated in ${count} states, but nobody ever enters or leads. ${coverage}`,
      );
    else if (verdict === 'holds')
      this.#setOutcome('good', `Nothing is violated in any order of events: ${count} states. ${coverage}`);
    else
      this.#setOutcome(
        'neutral',
        `Not complete: nothing was found in ${count} states. Left out: ${leftOut}. ${coverage}`,
      );
  }

  /** Compiles the text and runs it in a sandbox worker. Returns null if either fails. */
  async #runInSandbox(
    what: SandboxTask['what'],
    fields: PageState['fields'] | null,
    interventions: PageState['interventions'],
  ): Promise<{ readonly result: SandboxSuccess; readonly customAlgorithm: CustomAlgorithm } | null> {
    this.stop();
    this.pendingTask = what;
    this.outcome = null;
    this.#notify();
    const compiled = await this.#compile();
    if (compiled === null || this.pendingTask !== what) return null;
    if (compiled.syntax.length > 0) return this.#reportDiagnostic(compiled.syntax);
    const { text, name } = this;
    const task = { what, code: compiled.code, algorithmName: name, fields, interventions };
    const { result: pendingResult, stop } = runInSandbox(task, (progress) => {
      this.progress = progress;
      this.#notify();
    });
    this.#stop = stop;
    const result = await pendingResult;
    this.stop();
    if (text !== this.text) return null; // the text has changed meanwhile
    const thrown = thrownIn(result);
    if (thrown) {
      this.diagnostics = [diagnosticOf(thrown, text, compiled.map), ...compiled.types];
      this.#notify();
    }
    if (result.kind === 'failed') return this.#reportDiagnostic(this.diagnostics.slice(0, 1));
    if (result.kind === 'stuck') return this.#setOutcome('bad', stuckText);
    if (result.kind === 'late') return this.#setOutcome('neutral', timeoutText);
    const { code } = compiled;
    const customAlgorithm = {
      algorithm: stubAlgorithm(result.algorithm),
      code,
      text,
      packed: this.lab.draft!.packed,
    };
    this.isFromLink = false;
    return { result, customAlgorithm };
  }

  #reportDiagnostic([first]: readonly TextDiagnostic[]): null {
    this.pendingTask = null;
    return this.#setOutcome('bad', withFullStop(`Line ${lineAt(this.text, first!.from)}: ${first!.message}`));
  }

  #setOutcome(tone: EditOutcome['tone'], text: string, watch?: EditOutcome['watch']): null {
    this.pendingTask = null;
    this.outcome = { tone, text, ...(watch && { watch }) };
    this.#notify();
    return null;
  }
}

type SandboxSuccess = Extract<SandboxResult, { readonly algorithm: unknown }>;

const stuckText = 'It was stopped: a handler had not come to an end after four seconds.';
const timeoutText =
  'It was stopped after a minute, and nothing was found until then. With fewer processes there is less to look at.';

const thrownIn = (result: SandboxResult): ThrownError | null =>
  result.kind === 'late' || result.kind === 'stuck' ? null : result.thrown;

const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
