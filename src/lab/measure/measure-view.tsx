import { useEffect, useMemo, useState } from 'preact/hooks';
import { titleOf } from '../../catalogue/index.ts';
import {
  boundsFigure,
  casesOf,
  figuresOf,
  hasClaims,
  measureOf,
  oneAxisFigure,
  type Row,
  rowCells,
  summariesOf,
} from '../../measure/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import type { CustomAlgorithm } from '../state/run-spec.ts';
import { useLabContext } from '../ui/context.ts';
import { headingOf, MeasureChoice } from './measure-choice.tsx';
import { MeasureClient } from './measure-client.ts';
import './measure.css';
import { type OwnAlgorithm, ownAlgorithmOf } from './own-algorithm.ts';
import { PlotPanel } from './plot-panel.tsx';
import {
  parseSweep,
  type Sweep,
  sweepProblem,
  sweepText,
  sweptAlgorithms,
  sweptTitle,
  withOwn,
} from './sweep.ts';
import { sweepFiles } from './sweep-files.ts';
import { SweepForm } from './sweep-form.tsx';

/** Plots a measure against the number of processes, and adds each point when it is measured. */
export function MeasureView() {
  const { lab } = useLabContext();
  const [, redraw] = useState(0);
  const own = useMemo(() => ownAlgorithmOf(lab.customAlgorithm), []);
  const client = useMemo(
    () => new MeasureClient(sweepToOpen(lab, own), own, () => redraw((count) => count + 1)),
    [],
  );
  const measure = (sweep: Sweep) => {
    client.measure(sweep);
    lab.sweep = sweepText(sweep, own);
    lab.notify();
  };
  useEffect(() => {
    measure(client.sweep);
    return () => client.stop();
  }, []);
  const { sweep, rows } = client;
  const chosen = sweptAlgorithms(sweep, own);
  const problem = sweepProblem(sweep, own);
  const shown = rows.filter((row) => figuresOf(row, sweep.measure) !== null);
  const hasClaimed = shown.some((row) => hasClaims(row, sweep.measure));
  useViewFiles(lab, client, own, { hasFigures: shown.length > 0, hasClaimed });
  return (
    <main class="measure">
      <aside aria-label="What is measured">
        <SweepForm sweep={sweep} own={own} measure={measure} />
      </aside>
      <div class="measured" aria-busy={client.isBusy}>
        <MeasureChoice
          problem={problem}
          measure={sweep.measure}
          choose={(id) => measure({ ...sweep, measure: id })}
          status={statusOf(rows, client.isBusy)}
        />
        {lab.customAlgorithm && !own && (
          <p class="panel" role="note">
            Measure plots locks and elections that send messages. {titleOf(lab.algorithm)} is neither: open
            Run, which measures one run.
          </p>
        )}
        {own && client.ownProblem !== null && (
          <p class="panel problem" role="alert">
            {own.title}: {client.ownProblem}
          </p>
        )}
        {shown.length > 0 && (
          <PlotPanel
            name="Compared"
            draw={(width) => oneAxisFigure(problem, sweep.measure, chosen, rows, width)}
          />
        )}
        {hasClaimed && (
          <PlotPanel
            name="Against the papers"
            draw={(width) => boundsFigure(problem, sweep.measure, chosen, rows, width)}
          />
        )}
        {shown.length > 0 && !hasClaimed && (
          <p class="panel quiet">
            No claim about the {measureOf(sweep.measure).title} is declared for these algorithms.
          </p>
        )}
        {shown.length > 0 && <FiguresTable rows={rows} sweep={sweep} own={own} />}
        {shown.length === 0 && !client.isBusy && (
          <p class="panel quiet">These runs have no figures of this measure.</p>
        )}
      </div>
    </main>
  );
}

const seen = new WeakSet<CustomAlgorithm>(); // algorithms from the editor that the view has shown

/** Returns the sweep of the page, with the algorithm from the editor if the view has not shown it yet. */
function sweepToOpen({ sweep: text, algorithm, customAlgorithm }: LabStore, own: OwnAlgorithm | null): Sweep {
  const sweep = parseSweep(text, algorithm, own);
  if (own === null || customAlgorithm === null || seen.has(customAlgorithm)) return sweep;
  seen.add(customAlgorithm);
  return withOwn(sweep, own);
}

/** Has the menu Export offer what the view shows. */
function useViewFiles(
  lab: LabStore,
  client: MeasureClient,
  own: OwnAlgorithm | null,
  { hasFigures, hasClaimed }: { readonly hasFigures: boolean; readonly hasClaimed: boolean },
): void {
  useEffect(() => {
    lab.viewFiles = hasFigures ? sweepFiles(() => client, own, hasClaimed) : [];
    lab.notify();
    return () => {
      lab.viewFiles = null;
      lab.notify();
    };
  }, [hasFigures, hasClaimed]);
}

function statusOf(rows: readonly Row[], isBusy: boolean): string {
  const runs = rows.reduce((sum, row) => sum + row.runs, 0).toLocaleString('en');
  if (isBusy || rows.length === 0) return `Measuring: ${runs} runs so far …`;
  const holds = summariesOf(rows).every(({ verdict }) => verdict.holds);
  return `${runs} runs measured. ${holds ? 'Every bound holds.' : 'A bound or a promise is violated: see the table.'}`;
}

const columns = [
  'Algorithm',
  'Case',
  'n',
  'Runs',
  'Least',
  'Mean',
  'Most',
  'Claim',
  'Verdict, over all sizes',
];

interface FiguresTableProps {
  readonly rows: readonly Row[];
  readonly sweep: Sweep;
  readonly own: OwnAlgorithm | null;
}

function FiguresTable({ rows, sweep, own }: FiguresTableProps) {
  const about = new Map(
    sweptAlgorithms(sweep, own)
      .flatMap((algorithm) => casesOf(algorithm))
      .map((one) => [one.name, one.about] as const),
  );
  const { measure } = sweep;
  return (
    <section class="panel table" aria-label="In figures" tabIndex={0}>
      <table>
        <caption>
          {headingOf(measureOf(measure), sweepProblem(sweep, own))}, at the largest size measured of each case
        </caption>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {summariesOf(rows, measure).map(({ algorithm, case: which, largest, verdict }) => (
            <tr key={`${algorithm}, ${which}`}>
              <th scope="row">{sweptTitle({ name: algorithm }, own)}</th>
              <td title={about.get(which)}>{which}</td>
              {rowCells(largest, measure).map((cell, k) => (
                <td key={k} class={k < 5 ? 'number' : ''}>
                  {cell}
                </td>
              ))}
              <td class={verdict.holds ? '' : 'problem'}>{verdict.sentence || 'nothing claimed'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
