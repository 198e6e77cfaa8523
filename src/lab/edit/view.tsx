import type { EditorView } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { resolve } from '../../catalogue/index.ts';
import { Choices } from '../choices.tsx';
import { useShared } from '../context.ts';
import type { Lab } from '../lab.ts';
import { startCompiler } from './compiler.ts';
import './edit.css';
import { mountEditor, setProblems, stateOf } from './editor.ts';
import { lineAt } from './places.ts';
import { startGroups, templates } from './templates.ts';
import { Workshop } from './workshop.ts';

let kept: Workshop | null = null; // while other views are looked at

function workshopOf(lab: Lab): Workshop {
  if (kept?.lab !== lab) kept = new Workshop(lab);
  return kept;
}

/** The workshop; who uses it is drawn again when it has changed. */
function useWorkshop(): Workshop {
  const { lab } = useShared();
  const workshop = workshopOf(lab);
  const [, redraw] = useState(0);
  useLayoutEffect(() => workshop.subscribe(() => redraw((count) => count + 1)), [workshop]);
  return workshop;
}

export function View() {
  const workshop = useWorkshop();
  const editor = useRef<EditorView | null>(null);
  useEffect(() => {
    startCompiler();
  }, []);
  return (
    <main class="edit">
      <div class="above">
        <Toolbar workshop={workshop} />
        {workshop.isForeign && <FromLink workshop={workshop} />}
      </div>
      <Text workshop={workshop} editor={editor} />
      <aside aria-label="Beside the text">
        <Task workshop={workshop} />
        <Result workshop={workshop} />
        <Problems workshop={workshop} editor={editor} />
        <AtHand />
      </aside>
    </main>
  );
}

interface Props {
  readonly workshop: Workshop;
}

/** Not a text from a link, nor one that is wrong on purpose. */
const isListed = (start: string): boolean =>
  templates.some(({ id }) => id === start) ||
  startGroups().some(({ members }) => members.some(({ name }) => name === start));

function Toolbar({ workshop }: Props) {
  const [n, setN] = useState(3);
  const { doing } = workshop;
  const begin = (start: string) => {
    const template = templates.find(({ id }) => id === start);
    if (template) workshop.beginWithTemplate(template);
    else workshop.beginWith(resolve(start));
  };
  return (
    <div class="tools" role="toolbar" aria-label="Text">
      <label>
        <span>Start from</span>
        <select value={workshop.start} onChange={(event) => begin(event.currentTarget.value)}>
          {!isListed(workshop.start) && (
            <option value={workshop.start}>{workshop.isForeign ? 'the link' : workshop.name}</option>
          )}
          <optgroup label="Exercises and templates">
            {templates.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </optgroup>
          <Choices families={startGroups()} />
        </select>
      </label>
      <span class="spacer" />
      <button type="button" class="primary" disabled={doing !== null} onClick={() => workshop.run()}>
        Run
      </button>
      {doing === 'check' ? (
        <button type="button" onClick={() => workshop.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" disabled={doing !== null} onClick={() => workshop.check(n)}>
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

function FromLink({ workshop }: Props) {
  return (
    <div class="from-link" role="note">
      <p>
        <strong>This text comes from a link and has not been run.</strong> It is a program somebody wrote:
        read it first. It runs when you say so, in a thread that knows nothing of this page.
      </p>
      <button type="button" class="primary" onClick={() => workshop.run()}>
        Run the text of the link
      </button>
    </div>
  );
}

interface TextProps extends Props {
  readonly editor: { current: EditorView | null };
}

function Text({ workshop, editor }: TextProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { left } = workshop;
    const state = left?.state ?? stateOf(workshop.text);
    const view = mountEditor(host.current!, state, () => workshop.write(view.state.doc.toString()));
    editor.current = view;
    if (left) view.scrollDOM.scrollTop = left.top;
    return () => {
      workshop.left = { state: view.state, top: view.scrollDOM.scrollTop };
      view.destroy();
    };
  }, []);
  // A text from elsewhere replaces what stands there, and can be undone.
  useEffect(() => {
    const view = editor.current!;
    const { doc } = view.state;
    if (doc.toString() === workshop.text) return;
    view.dispatch({ changes: { from: 0, to: doc.length, insert: workshop.text }, selection: { anchor: 0 } });
    view.scrollDOM.scrollTop = 0;
  }, [workshop.version]);
  useEffect(() => {
    editor.current!.dispatch({ effects: setProblems.of(workshop.problems) });
  }, [workshop.problems]);
  const listen = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    workshop.run();
  };
  return <div class="code-editor" ref={host} onKeyDownCapture={listen} />;
}

/** What stands between backticks is code. */
const withCode = (text: string) =>
  text.split('`').map((part, k) => (k % 2 === 1 ? <code key={k}>{part}</code> : part));

function Task({ workshop: { template } }: Props) {
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

function Result({ workshop: { outcome, doing, progress, text } }: Props) {
  return (
    <section class="panel result">
      <h2>What came of it</h2>
      <div role="status">
        {doing !== null && (
          <p>
            {doing === 'check' ? 'Looking at every order of events …' : 'Trying it …'}
            {progress && (
              <span class="quiet">
                {' '}
                {progress.states.toLocaleString('en')} states, {progress.depth} events deep
              </span>
            )}
          </p>
        )}
        {doing === null && outcome && (
          <p class={{ good: 'fine', bad: 'problem', neutral: '' }[outcome.tone]}>{outcome.text}</p>
        )}
        {doing === null && !outcome && (
          <p class="quiet">
            {text === ''
              ? ''
              : 'Run plays it (Ctrl+Enter). Check looks for an order of events in which it fails.'}
          </p>
        )}
      </div>
      {doing === null && outcome?.watch && (
        <button type="button" class="primary" onClick={outcome.watch.open}>
          {outcome.watch.label}
        </button>
      )}
    </section>
  );
}

function Problems({ workshop: { problems, text, isRead }, editor }: TextProps) {
  const jump = (offset: number) => {
    const view = editor.current!;
    const anchor = Math.min(offset, view.state.doc.length);
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  };
  return (
    <section class="panel problems" aria-busy={!isRead}>
      <h2>Problems</h2>
      {problems.length === 0 ? (
        <p class="quiet">{isRead ? 'None: it keeps to the contract.' : 'Reading …'}</p>
      ) : (
        <ul>
          {problems.slice(0, 20).map(({ from, message }, k) => (
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

function AtHand() {
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
