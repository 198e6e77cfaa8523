// The code editor: CodeMirror, in the colours of the page.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { TextDiagnostic } from './typescript-compiler.ts';

const editorColours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.definition(tags.typeName)], color: 'var(--accent)' },
]);

const editorTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--ink)', fontSize: '14px' },
  '&.cm-focused': { outline: '2.5px solid var(--accent)', outlineOffset: '-2.5px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--quiet)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 14px' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--soft) 45%, transparent)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--warm)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--warm)' },
  '.cm-panels': { backgroundColor: 'var(--ground)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': {
    background: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.wrong': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.wrong-line': { backgroundColor: 'var(--bad-soft)' },
  '.why': {
    marginLeft: '2.5em',
    padding: '1px 8px',
    borderRadius: '6px',
    backgroundColor: 'var(--bad-soft)',
    color: 'var(--bad)',
    fontFamily: 'system-ui, sans-serif',
    fontSize: '13px',
    fontWeight: '600',
  },
});

/** Shows the message of a diagnostic at the end of its line. */
class DiagnosticWidget extends WidgetType {
  readonly #message: string;

  constructor(message: string) {
    super();
    this.#message = message;
  }

  override eq(other: DiagnosticWidget): boolean {
    return other.#message === this.#message;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = 'why';
    element.textContent = this.#message;
    return element;
  }
}

export const setDiagnostics = StateEffect.define<readonly TextDiagnostic[]>();

const diagnosticDecorations = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state }) {
    const effect = effects.find((one) => one.is(setDiagnostics));
    return effect ? decorationsOf(state, effect.value) : marks.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorationsOf({ doc }: EditorState, problems: readonly TextDiagnostic[]): DecorationSet {
  const lines = new Set<number>();
  const marks = problems.flatMap((problem) => {
    const from = Math.min(problem.from, doc.length);
    const line = doc.lineAt(from);
    const to = Math.min(Math.max(problem.to, from + 1), line.to);
    const isFirst = !lines.has(line.number); // one message per line
    lines.add(line.number);
    return [
      ...(isFirst ? [Decoration.line({ class: 'wrong-line' }).range(line.from)] : []),
      ...(from < to ? [Decoration.mark({ class: 'wrong' }).range(from, to)] : []),
      ...(isFirst
        ? [Decoration.widget({ widget: new DiagnosticWidget(problem.message), side: 1 }).range(line.to)]
        : []),
    ];
  });
  return Decoration.set(marks, true);
}

export const createEditorState = (text: string): EditorState =>
  EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      javascript({ typescript: true }),
      syntaxHighlighting(editorColours),
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({ 'aria-label': 'The algorithm’s text', tabindex: '0' }),
      editorTheme,
      diagnosticDecorations,
    ],
  });

/** Mounts the editor in a shadow root, where its styles need no style element. */
export function mountEditor(host: HTMLElement, state: EditorState, changed: () => void): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view: EditorView = new EditorView({
    state,
    root,
    parent: root,
    dispatchTransactions(transactions) {
      view.update(transactions);
      if (transactions.some(({ docChanged }) => docChanged)) changed();
    },
  });
  return view;
}
