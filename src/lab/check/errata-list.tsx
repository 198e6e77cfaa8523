import { parseTrace } from '../../core/trace.ts';
import type { LabStore } from '../state/lab-store.ts';
import type { CheckClient } from './check-client.ts';
import { type CheckRequest, capitalised, checkRequestText } from './check-request.ts';
import { checkRequestFor, type Erratum, parseErrata } from './errata.ts';

// The texts come from the documentation, the traces from the tests.
const pages = import.meta.glob<string>('../../../docs/errata.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const golden = import.meta.glob<string>(
  ['../../../test/golden/*/er-*.trace', '../../../test/golden/{lamport,le-lann}/unordered-channels.trace'],
  { query: '?raw', import: 'default', eager: true },
);

const errata = parseErrata(Object.values(pages)[0]!);
const goldenTraceText = (name: string): string | undefined => golden[`../../../test/golden/${name}`];

interface Props {
  readonly lab: LabStore;
  readonly client: CheckClient;
  readonly change: (request: CheckRequest) => void;
}

/** Lists the errata of printed algorithms, each with a run that shows the failure. */
export function ErrataList(props: Props) {
  return (
    <section class="panel gallery" aria-labelledby="gallery">
      <h2 id="gallery">Misprints</h2>
      <p class="quiet">
        Places where a printed text is wrong. “Shortest” has the checker find the shortest run that shows it,
        now; “kept” opens the one that the tests keep.
      </p>
      <ol>
        {errata.map((erratum) => (
          <ErratumItem key={erratum.number} erratum={erratum} {...props} />
        ))}
      </ol>
    </section>
  );
}

function ErratumItem({ erratum, ...props }: Props & { readonly erratum: Erratum }) {
  const { number, printed, happens, shownBy, traces } = erratum;
  const [where = '', ...what] = printed.split(': ');
  return (
    <li>
      <h3>
        <span class="quiet">{number}</span> {capitalised(where)}
      </h3>
      <p>
        <InlineMarkdown text={what.join(': ')} />
      </p>
      <p class="happens">
        <InlineMarkdown text={happens} />
      </p>
      {traces.some(goldenTraceText) ? (
        traces.map((name) => <ErratumRun key={name} name={name} isOnly={traces.length === 1} {...props} />)
      ) : (
        <p class="quiet">
          Shown by: <InlineMarkdown text={shownBy} />
        </p>
      )}
    </li>
  );
}

interface ErratumRunProps extends Props {
  readonly name: string; // of the trace
  readonly isOnly: boolean;
}

/** Opens a run that shows the failure: the shortest one, or the one in the tests. */
function ErratumRun({ name, isOnly, lab, client, change }: ErratumRunProps) {
  const text = goldenTraceText(name);
  if (text === undefined) return null;
  const trace = parseTrace(text, name);
  const about = /^# (?:ER-\d+\. )?(.*)/.exec(text)?.[1];
  const request = checkRequestFor(trace);
  const isSearching =
    client.isRunning && request !== null && checkRequestText(request) === checkRequestText(client.request!);
  const search = () => {
    if (!request) return;
    change(request);
    client.start(request, ({ report, trace: found }) => {
      if (lab.view !== 'check') return;
      if (report.violation && found !== null) lab.openTrace(found, 'the run');
      else document.querySelector('.verdict')?.scrollIntoView();
    });
  };
  return (
    <div class="shown">
      {!isOnly && about && <p class="quiet">{about}</p>}
      <div class="buttons">
        {request && (
          <button
            type="button"
            disabled={isSearching}
            onClick={search}
            aria-label={`Shortest run that shows ${name}`}
          >
            {isSearching ? 'Looking …' : 'Shortest'}
          </button>
        )}
        <button type="button" onClick={() => lab.openTrace(trace, name)} aria-label={`Kept run ${name}`}>
          Kept ({trace.events.length} events)
        </button>
        <code class="quiet">{trace.scenario.algorithm}</code>
      </div>
    </div>
  );
}

/** Renders the inline Markdown of a table cell. */
function InlineMarkdown({ text }: { readonly text: string }) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|\[[^\]]+\]\([^)]+\))/);
  return (
    <>
      {parts.map((part, k) => {
        if (part.startsWith('`')) return <code key={k}>{part.slice(1, -1)}</code>;
        if (part.startsWith('**')) return <strong key={k}>{part.slice(2, -2)}</strong>;
        if (part.startsWith('*')) return <em key={k}>{part.slice(1, -1)}</em>;
        return part.replace(/^\[([^\]]+)\]\([^)]+\)$/, '$1');
      })}
    </>
  );
}
