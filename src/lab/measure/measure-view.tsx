import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { titleOf } from '../../catalogue/index.ts';
import type { Problem } from '../../core/algorithm.ts';
import {
  boundsFigure,
  casesOf,
  comparisonFigure,
  type Row,
  rowCells,
  summariesOf,
} from '../../measure/index.ts';
import { useLabContext } from '../ui/context.ts';
import { MeasureClient } from './measure-client.ts';
import './measure.css';
import {
  comparableAlgorithms,
  measurableAlgorithm,
  measurableAlgorithms,
  parseSweep,
  runCounts,
  type Sweep,
  sweepProblem,
  sweepSizes,
  sweepText,
  toggleAlgorithm,
} from './sweep.ts';

const problems: readonly (readonly [Problem, string])[] = [
  ['mutex', 'Mutual exclusion'],
  ['election', 'Election'],
];

/** Plots messages against the number of processes, and adds each point when it is measured. */
export function MeasureView() {
  const { lab } = useLabContext();
  const [, redraw] = useState(0);
  const client = useMemo(
    () => new MeasureClient(parseSweep(lab.sweep, lab.algorithm), () => redraw((count) => count + 1)),
    [],
  );
  const measure = (sweep: Sweep) => {
    client.measure(sweep);
    lab.sweep = sweepText(sweep);
    lab.notify();
  };
  useEffect(() => {
    measure(client.sweep);
    return () => client.stop();
  }, []);
  const { sweep, rows } = client;
  const chosen = sweep.names.map((name) => measurableAlgorithm(name)!);
  const problem = sweepProblem(sweep);
  return (
    <main class="measure">
      <aside aria-label="What is measured">
        <SweepForm sweep={sweep} measure={measure} />
      </aside>
      <div class="measured" aria-busy={client.isBusy}>
        {lab.customAlgorithm && (
          <p class="panel" role="note">
            Measure compares algorithms of the catalogue only. To count the messages of{' '}
            {titleOf(lab.algorithm)}, open Run: it counts those of one run.
          </p>
        )}
        <p class="panel progress" role="status">
          {statusOf(rows, client.isBusy)}
        </p>
        <Figure
          name="Against the papers"
          draw={(width) => (rows.length > 0 ? boundsFigure(problem, 'messages', chosen, rows, width) : '')}
        />
        <Figure
          name="Compared"
          draw={(width) =>
            rows.length > 0 ? comparisonFigure(problem, 'messages', chosen, rows, width) : ''
          }
        />
        <Table rows={rows} sweep={sweep} />
      </div>
    </main>
  );
}

function statusOf(rows: readonly Row[], isBusy: boolean): string {
  const runs = rows.reduce((sum, row) => sum + row.runs, 0).toLocaleString('en');
  if (isBusy || rows.length === 0) return `Counting: ${runs} runs so far …`;
  const holds = summariesOf(rows).every(({ verdict }) => verdict.holds);
  return `${runs} runs counted. ${holds ? 'Every bound holds.' : 'A bound is violated: see the table.'}`;
}

interface SweepFormProps {
  readonly sweep: Sweep;
  readonly measure: (sweep: Sweep) => void;
}

function SweepForm({ sweep, measure }: SweepFormProps) {
  const problem = sweepProblem(sweep);
  return (
    <>
      <section class="panel scenario">
        <h2>Sizes</h2>
        <label>
          Processes, up to
          <select
            value={sweep.max}
            onChange={(event) => measure({ ...sweep, max: Number(event.currentTarget.value) })}
          >
            {sweepSizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
        <label>
          Runs of each
          <select
            value={sweep.runs}
            onChange={(event) => measure({ ...sweep, runs: Number(event.currentTarget.value) })}
          >
            {runCounts.map((count) => (
              <option key={count} value={count}>
                {count}
              </option>
            ))}
          </select>
        </label>
      </section>
      <section class="panel choices">
        <h2 id="measured-algorithms">Algorithms</h2>
        <div class="spacing" role="radiogroup" aria-label="Problem">
          {problems.map(([id, title]) => (
            <label key={id}>
              <input
                type="radio"
                name="problem"
                checked={problem === id}
                onChange={() => measure({ ...sweep, names: comparableAlgorithms({ name: '', problem: id }) })}
              />
              <span>{title}</span>
            </label>
          ))}
        </div>
        <ul aria-labelledby="measured-algorithms">
          {[...new Set([...measurableAlgorithms, ...sweep.names.map((name) => measurableAlgorithm(name)!)])]
            .filter((algorithm) => algorithm.problem === problem)
            .map((algorithm) => (
              <li key={algorithm.name}>
                <label>
                  <input
                    type="checkbox"
                    checked={sweep.names.includes(algorithm.name)}
                    onChange={() => measure(toggleAlgorithm(sweep, algorithm.name))}
                  />
                  {titleOf(algorithm)}
                </label>
              </li>
            ))}
        </ul>
      </section>
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly draw: (width: number) => string;
}

/** Renders a figure in a shadow root. The content policy allows its styles only as a style sheet object. */
function Figure({ name, draw }: FigureProps) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);
  const svg = width > 0 ? draw(Math.max(minWidth, Math.min(width, maxWidth))) : '';
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const [style = '', css = ''] = /<style>([\s\S]*?)<\/style>/.exec(svg) ?? [];
    if (root.adoptedStyleSheets.length === 0 && css !== '') {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css + figureStyles);
      root.adoptedStyleSheets = [sheet];
    }
    root.innerHTML = svg.replace(style, '');
  }, [svg]);
  return (
    <section class="panel figure" aria-label={name} tabIndex={0}>
      <div ref={host} />
    </section>
  );
}

const [minWidth, maxWidth] = [320, 1080];

const figureStyles = `
:host { display: block; min-height: 260px }
svg.chart { display: block; width: 100%; height: auto; fill: var(--ink) }
.chart .paper { fill: var(--paper) }
.chart .about, .chart .axis, .chart .tick, .chart .formula { fill: var(--quiet) }
.chart .grid { stroke: var(--line) }
.chart .fine { stroke: color-mix(in srgb, var(--line) 45%, transparent) }
.chart .curve { stroke: var(--ink) }
.chart .exactly { stroke: var(--line) }
.chart .guide { stroke: var(--quiet) }
.chart .guide-label { fill: var(--quiet); stroke: var(--paper) }
.chart [stroke="#0072b2"] { stroke: light-dark(#0072b2, #4a9fd8) }
.chart [fill="#0072b2"] { fill: light-dark(#0072b2, #4a9fd8) }
.chart [stroke="#444444"] { stroke: var(--quiet) }
.chart [fill="#444444"] { fill: var(--quiet) }
`;

function Table({ rows, sweep }: { readonly rows: readonly Row[]; readonly sweep: Sweep }) {
  const about = new Map(
    sweep.names
      .flatMap((name) => casesOf(measurableAlgorithm(name)!))
      .map((one) => [one.name, one.about] as const),
  );
  return (
    <section class="panel table" aria-label="In figures" tabIndex={0}>
      <table>
        <caption>
          Messages per {sweepProblem(sweep) === 'mutex' ? 'entry' : 'election'}, at the largest size measured
          of each case
        </caption>
        <thead>
          <tr>
            {[
              'Algorithm',
              'Case',
              'n',
              'Runs',
              'Least',
              'Mean',
              'Most',
              'Said',
              'Verdict, over all sizes',
            ].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {summariesOf(rows).map(({ algorithm, case: which, largest, verdict }) => (
            <tr key={`${algorithm}, ${which}`}>
              <th scope="row">{titleOf(measurableAlgorithm(algorithm)!)}</th>
              <td title={about.get(which)}>{which}</td>
              {rowCells(largest).map((cell, k) => (
                <td key={k} class={k < 5 ? 'number' : ''}>
                  {cell}
                </td>
              ))}
              <td class={verdict.holds ? '' : 'problem'}>{verdict.sentence}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
