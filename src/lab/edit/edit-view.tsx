import type { EditorView } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { resolve } from '../../catalogue/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { AlgorithmOptions } from '../ui/algorithm-options.tsx';
import { useLabContext } from '../ui/context.ts';
import { startCompiler } from './compiler-client.ts';
import './edit.css';
import { EditSession } from './edit-session.ts';
import { createEditorState, mountEditor, setDiagnostics } from './editor.ts';
import { lineAt } from './source-positions.ts';
import { startingPoints, templates } from './templates.ts';

let kept: EditSession | null = null; // while other views are open

function editSessionOf(lab: LabStore): EditSession {
  if (kept?.lab !== lab) kept = new EditSession(lab);
  return kept;
}

/** Returns the session and re-renders the component when it changes. */
function useEditSession(): EditSession {
  const { lab } = useLabContext();
  const session = editSessionOf(lab);
  const [, redraw] = useState(0);
  useLayoutEffect(() => session.subscribe(() => redraw((count) => count + 1)), [session]);
  return session;
}

export function EditView() {
  const session = useEditSession();
  const editor = useRef<EditorView | null>(null);
  useEffect(() => {
    startCompiler();
  }, []);
  return (
    <main class="edit">
      <div class="above">
        <Toolbar session={session} />
        {session.isFromLink && <LinkWarning session={session} />}
      </div>
      <CodeEditor session={session} editor={editor} />
      <aside aria-label="Beside the text">
        <Exercise session={session} />
        <EditResult session={session} />
        <DiagnosticList session={session} editor={editor} />
        <HandlerReference />
      </aside>
    </main>
  );
}

interface Props {
  readonly session: EditSession;
}

/** Whether the text started from an entry of the list, not from a link or a mutant. */
const isListed = (start: string): boolean =>
  templates.some(({ id }) => id === start) ||
  startingPoints().some(({ members }) => members.some(({ name }) => name === start));

function Toolbar({ session }: Props) {
  const [n, setN] = useState(3);
  const { pendingTask } = session;
  const begin = (start: string) => {
    const template = templates.find(({ id }) => id === start);
    if (template) session.startFromTemplate(template);
    else session.startFromAlgorithm(resolve(start));
  };
  return (
    <div class="tools" role="toolbar" aria-label="Text">
      <label>
        <span>Start from</span>
        <select value={session.startedFrom} onChange={(event) => begin(event.currentTarget.value)}>
          {!isListed(session.startedFrom) && (
            <option value={session.startedFrom}>{session.isFromLink ? 'the link' : session.name}</option>
          )}
          <optgroup label="Exercises and templates">
            {templates.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </optgroup>
          <AlgorithmOptions families={startingPoints()} />
        </select>
      </label>
      <span class="spacer" />
      <button
        type="button"
        class="primary"
        data-key="Ctrl+Enter"
        disabled={pendingTask !== null}
        onClick={() => session.run()}
      >
        Run
      </button>
      {pendingTask === 'check' ? (
        <button type="button" onClick={() => session.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" disabled={pendingTask !== null} onClick={() => session.check(n)}>
          Check
        </button>
      )}
      <label>
        <span>with</span>
        <select
          aria-label="Processes to check with"
          value={n}
          onChange={(event) => setN(Number(event.currentTarget.value))}
        >
          {[2, 3, 4, 5].map((size) => (
            <option key={size} value={size}>
              {size} processes
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function LinkWarning({ session }: Props) {
  return (
    <div class="from-link" role="note">
      <p>
        <strong>This text comes from a link and has not been run.</strong> It is a program somebody wrote:
        read it first. It runs when you say so, in a thread that knows nothing of this page.
      </p>
      <button type="button" class="primary" onClick={() => session.run()}>
        Run the text of the link
      </button>
    </div>
  );
}

interface CodeEditorProps extends Props {
  readonly editor: { current: EditorView | null };
}

function CodeEditor({ session, editor }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { savedEditor } = session;
    const state = savedEditor?.state ?? createEditorState(session.text);
    const view = mountEditor(host.current!, state, () => session.setText(view.state.doc.toString()));
    editor.current = view;
    if (savedEditor) view.scrollDOM.scrollTop = savedEditor.top;
    return () => {
      session.savedEditor = { state: view.state, top: view.scrollDOM.scrollTop };
      view.destroy();
    };
  }, []);
  // A text that was not typed replaces the document; the user can undo it.
  useEffect(() => {
    const view = editor.current!;
    const { doc } = view.state;
    if (doc.toString() === session.text) return;
    view.dispatch({ changes: { from: 0, to: doc.length, insert: session.text }, selection: { anchor: 0 } });
    view.scrollDOM.scrollTop = 0;
  }, [session.version]);
  useEffect(() => {
    editor.current!.dispatch({ effects: setDiagnostics.of(session.diagnostics) });
  }, [session.diagnostics]);
  return <div class="code-editor" ref={host} />;
}

/** Renders text between backticks as code. */
const withCode = (text: string) =>
  text.split('`').map((part, k) => (k % 2 === 1 ? <code key={k}>{part}</code> : part));

function Exercise({ session: { template } }: Props) {
  if (!template) return null;
  return (
    <section class="panel task">
      <h2>{template.title}</h2>
      <p>{withCode(template.task)}</p>
      {template.hint && (
        <details key={template.id}>
          <summary>A hint</summary>
          <p>{withCode(template.hint)}</p>
        </details>
      )}
    </section>
  );
}

function EditResult({ session: { outcome, pendingTask, progress, text } }: Props) {
  return (
    <section class="panel result">
      <h2>What came of it</h2>
      <div role="status">
        {pendingTask !== null && (
          <p>
            {pendingTask === 'check' ? 'Looking at every order of events …' : 'Trying it …'}
            {progress && (
              <span class="quiet">
                {' '}
                {progress.states.toLocaleString('en')} states, {progress.depth} events deep
              </span>
            )}
          </p>
        )}
        {pendingTask === null && outcome && (
          <p class={{ good: 'fine', bad: 'violated', neutral: '' }[outcome.tone]}>{outcome.text}</p>
        )}
        {pendingTask === null && !outcome && (
          <p class="quiet">
            {text === ''
              ? ''
              : 'Run plays it (Ctrl+Enter). Check looks for an order of events in which it fails.'}
          </p>
        )}
      </div>
      {pendingTask === null && outcome?.watch && (
        <button type="button" class="primary" onClick={outcome.watch.open}>
          {outcome.watch.label}
        </button>
      )}
    </section>
  );
}

function DiagnosticList({ session: { diagnostics, text, isCompiled }, editor }: CodeEditorProps) {
  const jump = (offset: number) => {
    const view = editor.current!;
    const anchor = Math.min(offset, view.state.doc.length);
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  };
  return (
    <section class="panel problems" aria-busy={!isCompiled}>
      <h2>Problems</h2>
      {diagnostics.length === 0 ? (
        <p class="quiet">{isCompiled ? 'None: it keeps to the contract.' : 'Reading …'}</p>
      ) : (
        <ul>
          {diagnostics.slice(0, 20).map(({ from, message }, k) => (
            <li key={k}>
              <button type="button" class="link" onClick={() => jump(from)}>
                <span class="line-number">line {lineAt(text, from)}</span> {message}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const contract: readonly (readonly [string, string])[] = [
  ['s', 'what the process remembers: plain data'],
  ['p.me, p.n, p.id, ..', 'what it knows, if `knows` says so'],
  ['p.send(j, m)', 'a message to a neighbour'],
  ['p.emit(event)', 'tells the application: entered, elected'],
  ['p.after(ticks, m)', 'a timer: a message to itself'],
  ['p.choose(k)', 'a coin: 0 .. k-1'],
];

function HandlerReference() {
  return (
    <section class="panel at-hand">
      <h2>At hand in a handler</h2>
      <dl>
        {contract.map(([what, does]) => (
          <div key={what}>
            <dt>
              <code>{what}</code>
            </dt>
            <dd>{withCode(does)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
