import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { algorithmInfo, titleOf } from '../../catalogue/index.ts';
import type { CheckReport } from '../../check/index.ts';
import type { Trace } from '../../core/trace.ts';
import { svgDiagram } from '../../diagram/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { kindsOf, useLabContext } from '../ui/context.ts';
import type { CheckClient, CheckWorkerProgress, CheckWorkerResult } from './check-client.ts';
import {
  type CheckRequest,
  capitalised,
  checkRequestText,
  coverageText,
  subjectOf,
} from './check-request.ts';

interface Props {
  readonly lab: LabStore;
  readonly client: CheckClient;
  readonly request: CheckRequest; // of the form; `client.request` is the one checked
  readonly problem: string | null; // why there is no result
}

/** Shows the progress of the search and its result. */
export function CheckResultPanel({ lab, client, request, problem }: Props) {
  const { result, progress } = client;
  const checked = client.request;
  const isOther = checked !== null && checkRequestText(checked) !== checkRequestText(request);
  return (
    <section class="result" aria-label="Result">
      <section class="panel verdict" role="status">
        <h2>
          {titleOf(subjectOf(checked ?? request))}
          {result && `, n = ${result.report.n}`}
          {isOther && <span class="quiet"> (asked before; the question has changed since)</span>}
        </h2>
        <Verdict client={client} problem={problem} />
        {checked && result && <OpenRunButton lab={lab} request={checked} result={result} />}
      </section>
      <ProgressFigures progress={progress} result={result} isRunning={client.isRunning} />
      {checked && result && <Details request={checked} result={result} />}
      {checked && result?.trace && <Example request={checked} trace={result.trace} memory={result.memory} />}
    </section>
  );
}

function Verdict({ client: { result, isRunning, request }, problem }: Pick<Props, 'client' | 'problem'>) {
  if (problem !== null) return <p class="problem headline">Not checked: {problem}.</p>;
  if (isRunning) return <p class="headline">Looking at every interleaving …</p>;
  if (!result || !request)
    return (
      <p class="headline quiet">
        A run shows what happened once; the checker looks at all that can happen. Press Check.
      </p>
    );
  const { report, isStopped } = result;
  if (report.violation)
    return (
      <p class="violated headline">
        Violated: {report.violation.property}. <span>{capitalised(report.violation.why)}.</span>
      </p>
    );
  if (report.verdict === 'vacuous')
    return <p class="warning headline">Vacuous: nothing is violated, but nobody ever enters or leads.</p>;
  if (report.ok) return <p class="fine headline">Holds in every interleaving.</p>;
  return (
    <p class="headline">
      {isStopped ? 'Stopped: nothing found so far.' : 'Not complete: nothing found so far.'}
    </p>
  );
}

interface OpenRunButtonProps {
  readonly lab: LabStore;
  readonly request: CheckRequest;
  readonly result: CheckWorkerResult;
}

function OpenRunButton({ lab, request, result }: OpenRunButtonProps) {
  const { trace, report } = result;
  if (trace === null) return null;
  return (
    <p>
      <button type="button" class="go" onClick={() => lab.openTrace(trace, 'the run', request.custom)}>
        {report.violation ? 'Open this run at its last step' : 'Open a run that was covered'}
      </button>
    </p>
  );
}

interface ProgressFiguresProps {
  readonly progress: CheckWorkerProgress;
  readonly result: CheckWorkerResult | null;
  readonly isRunning: boolean;
}

const count = (value: number): string => value.toLocaleString('en');

function ProgressFigures({ progress, result, isRunning }: ProgressFiguresProps) {
  const { states, ms, depth, frontier, bytes, isCheckingLiveness } = progress;
  const hasBegun = isRunning || result !== null;
  const rate = states / Math.max(ms, 1);
  const figures: readonly (readonly [string, string])[] = [
    ['states', count(states)],
    [
      'a second',
      ms < 200 ? '–' : rate < 1 ? count(Math.round(rate * 1000)) : `${count(Math.round(rate))},000`,
    ],
    ['depth', count(depth)],
    result
      ? ['transitions', count(result.report.transitions)]
      : ['to look at', isCheckingLiveness ? 'looking for loops' : count(frontier)],
    ['memory', `${count(Math.max(1, Math.round(bytes / 2 ** 20)))} MB`],
    ['seconds', (ms / 1000).toFixed(1)],
  ];
  return (
    <section class="panel figures" aria-label="How far it is" aria-busy={isRunning}>
      <dl>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dd>{hasBegun ? value : '–'}</dd>
            <dt>{name}</dt>
          </div>
        ))}
      </dl>
      <div class={`runner ${isRunning ? 'runs' : ''}`} />
    </section>
  );
}

function Details({
  request,
  result,
}: {
  readonly request: CheckRequest;
  readonly result: CheckWorkerResult;
}) {
  const { report } = result;
  const { hasLines } = algorithmInfo(subjectOf(request));
  const rows: readonly (readonly [string, ComponentChildren] | null)[] = [
    ['Covered', coverageText(request, report.n)],
    report.leftOut === null ? null : ['Left out', `${capitalised(report.leftOut)}.`],
    report.bounded === null ? null : ['Bounded', `${capitalised(report.bounded)}.`],
    ['Reduction', `${capitalised(report.reduction)}.`],
    ['Asked', <PropertyMarks items={promiseMarks(report)} />],
    report.notChecked === null ? null : ['Not asked', `${capitalised(report.notChecked)}.`],
    report.violation === null
      ? [
          'Seen sometimes',
          <PropertyMarks
            items={report.sometimes.map(({ what, seen }) => [what, seen ? 'seen' : 'never'] as const)}
          />,
        ]
      : null,
    report.violation === null && report.unused.length > 0
      ? ['Never used', <PropertyMarks items={[[unusedText(report.unused, hasLines), 'never']]} />]
      : null,
    report.violation === null
      ? ['Ends', `${count(report.ends)} states in which nothing is bound to happen any more.`]
      : null,
    ['Executed', `${count(report.executions)} ${hasLines ? 'lines' : 'handlers'}, for all of that.`],
  ];
  return (
    <section class="panel details" aria-label="What was covered">
      <dl>
        {rows.map(
          (row) =>
            row && (
              <div key={row[0]}>
                <dt>{row[0]}</dt>
                <dd>{row[1]}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

/** The properties that were asked for, the violated one first and marked. */
function promiseMarks({
  properties,
  violation,
  ok,
}: CheckReport): readonly (readonly [string, PropertyMark])[] {
  const others = properties
    .filter((what) => what !== violation?.property)
    .map((what) => [what, ok ? 'holds' : 'open'] as const);
  return violation ? [[violation.property, 'violated'], ...others] : others;
}

const unusedText = (unused: readonly string[], areLines: boolean): string =>
  `${areLines ? 'lines' : 'messages'} ${unused.join(', ')}`;

type PropertyMark = keyof typeof signs;
const signs = { holds: '✓', seen: '✓', violated: '✕', never: '✕', open: '·' } as const;
const markTexts: Readonly<Record<PropertyMark, string>> = {
  holds: '',
  seen: '',
  violated: 'Violated: ',
  never: 'Never: ',
  open: '',
};

function PropertyMarks({ items }: { readonly items: readonly (readonly [string, PropertyMark])[] }) {
  return (
    <ul class="marks">
      {items.map(([what, mark]) => (
        <li key={what} class={mark}>
          <span aria-hidden="true">{signs[mark]}</span>
          {markTexts[mark]}
          {what}
        </li>
      ))}
    </ul>
  );
}

const maxEventsDrawn = 160;

interface ExampleProps extends Pick<CheckWorkerResult, 'memory'> {
  readonly request: CheckRequest;
  readonly trace: Trace;
}

/** Draws the counterexample, or a run that was covered. */
function Example({ request, trace, memory }: ExampleProps) {
  const { palette } = useLabContext();
  const subject = subjectOf(request);
  const what = trace.verdict === 'ok' ? 'A run that was covered' : 'The run that breaks it';
  const { loop } = trace.scenario;
  const picture = useMemo(() => {
    const n = Number(trace.scenario.n);
    const title = `${titleOf(subject)}, n = ${n}`;
    const kinds = kindsOf({ algorithm: subject });
    const events = trace.events.slice(0, maxEventsDrawn);
    return svgDiagram({ ...trace, events }, { title, kinds, memory, palette, delays: false });
  }, [trace, memory, subject, palette]);
  return (
    <section class="panel example" aria-label={what} tabIndex={0}>
      <h2>{what}</h2>
      {loop !== undefined && <p class="quiet">After event {loop} it goes round for ever.</p>}
      <img src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`} alt={what} />
    </section>
  );
}
