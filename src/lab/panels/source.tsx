import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { filesOf, fileText } from '../state/source-texts.ts';
import { useLab } from '../ui/context.ts';
import { handlerLines, namesOf } from './handler-lines.ts';

interface SourceFile {
  readonly name: string;
  readonly lines: readonly string[];
}

async function load(path: string): Promise<SourceFile> {
  const text = await fileText(path);
  return { name: `src/${path}`, lines: text.trimEnd().split('\n') };
}

/** Shows the text of the algorithm, or the file it builds on if that holds the handler of the latest event. */
export function SourcePanel() {
  const lab = useLab();
  const { algorithm, customAlgorithm } = lab;
  const [texts, setTexts] = useState<readonly SourceFile[]>([]);
  useEffect(() => {
    let isCurrent = true;
    if (customAlgorithm)
      setTexts([{ name: 'from the editor', lines: customAlgorithm.text.trimEnd().split('\n') }]);
    else Promise.all(filesOf(algorithm).map(load)).then((loaded) => isCurrent && setTexts(loaded));
    return () => {
      isCurrent = false;
    };
  }, [algorithm]);
  const event = lab.traceIndex.events[lab.position - 1];
  const names = customAlgorithm ? [algorithm.name] : namesOf(algorithm);
  const sources = useMemo(() => texts.map(({ lines }) => lines), [texts]);
  const marked = event ? handlerLines(sources, names, event.input) : null;
  const file = texts[marked?.file ?? 0];
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const first = marked && box.current?.querySelectorAll<HTMLElement>('.line')[marked.first];
    if (first) box.current!.scrollTop = first.offsetTop - box.current!.clientHeight / 3;
  }, [file, marked?.first]);
  // Reuses the elements while the same lines are marked, so that they need no comparison.
  const lines = useMemo(
    () =>
      file?.lines.map((line, i) => {
        const isMarked = marked !== null && i >= marked.first && i <= marked.last;
        return <Line key={`${file.name}${i}`} number={i + 1} text={line} isMarked={isMarked} />;
      }),
    [file, marked?.first, marked?.last],
  );
  return (
    <section class="source" aria-label="The algorithm’s text">
      <p class="file quiet">{file?.name ?? ''}</p>
      <pre ref={box as never} tabIndex={0}>
        {lines}
      </pre>
    </section>
  );
}

const syntaxTokens =
  /(\/\/.*|\/\*.*?\*\/|^\s*\*.*)|('(?:[^'\\]|\\.)*'|`[^`]*`)|\b(import|export|type|const|let|function|return|if|else|for|of|in|new|null|true|false|readonly|as|from|while|this|typeof)\b|\b(\d[\d_]*)\b/g;

function Line({
  number,
  text,
  isMarked,
}: {
  readonly number: number;
  readonly text: string;
  readonly isMarked: boolean;
}) {
  const parts: (string | { kind: string; text: string })[] = [];
  let at = 0;
  for (const match of text.matchAll(syntaxTokens)) {
    const [whole, comment, quoted, keyword] = match;
    parts.push(text.slice(at, match.index), {
      kind: comment ? 'comment' : quoted ? 'string' : keyword ? 'keyword' : 'number',
      text: whole,
    });
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return (
    <span class={`line ${isMarked ? 'marked' : ''}`}>
      <span class="number">{number}</span>
      {parts.map((part, i) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={i} class={part.kind}>
            {part.text}
          </span>
        ),
      )}
      {'\n'}
    </span>
  );
}
