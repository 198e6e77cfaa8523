import { useState } from 'preact/hooks';
import type { Bound } from '../../core/algorithm.ts';
import type { LabStore } from '../state/lab-store.ts';
import { useLab } from '../ui/context.ts';
import {
  type BoundLine,
  breaksBound,
  type MeasuredQuantity,
  type MeasureRow,
  measuredPosition,
  measuredQuantities,
} from './measure-figures.ts';

const hasRoom = '(min-height: 960px), (max-width: 799px)'; // for rows, without a click

type QuantityId = MeasuredQuantity['id'];

/** Shows the quantities by which papers judge an algorithm, up to the position, with the rows of one of them. */
export function MeasuresPanel() {
  const lab = useLab();
  const [chosen, choose] = useState<QuantityId | null>(() => (matchMedia(hasRoom).matches ? 'time' : null));
  const { run, position } = lab;
  const quantities = measuredQuantities(measuredPosition(lab));
  const open = quantities.find(({ id, rows }) => id === chosen && rows.length > 0);
  const isEnd = run.isOver && position === run.events.length;
  return (
    <section class="panel measures" aria-label="Measures">
      <h2>
        Measures <span>{isEnd ? 'of the whole run' : 'so far'}</span>
        {run.messageTime !== null && <span class="unit">T = {run.messageTime} ticks</span>}
      </h2>
      <div class="quantities">
        {quantities.map((quantity) => (
          <QuantityButton
            key={quantity.id}
            quantity={quantity}
            isOpen={quantity === open}
            toggle={() => choose(quantity === open ? null : quantity.id)}
          />
        ))}
      </div>
      <div id="measure-rows">
        {open && <RowsTable quantity={open} />}
        {open && <UnjudgedNote lab={lab} />}
      </div>
    </section>
  );
}

interface QuantityButtonProps {
  readonly quantity: MeasuredQuantity;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

function QuantityButton({ quantity, isOpen, toggle }: QuantityButtonProps) {
  const { title, figure, unit, definition } = quantity;
  const isBroken = breaksBound(quantity);
  return (
    <button
      type="button"
      class={isBroken ? 'broken' : ''}
      aria-expanded={isOpen}
      aria-controls="measure-rows"
      title={isBroken ? `A bound is broken. ${definition}` : definition}
      onClick={toggle}
    >
      <span class="title">{title}</span>
      <strong>{figure}</strong>
      <span class="unit">{unit}</span>
      {isBroken && <span class="hidden">, a bound is broken</span>}
    </button>
  );
}

function RowsTable({ quantity: { title, rows } }: { readonly quantity: MeasuredQuantity }) {
  const hasSpreads = rows.some(({ figures }) => figures.length > 1);
  return (
    <table>
      <caption class="hidden">{title}</caption>
      <colgroup>
        <col class="name" />
        <col span={3} />
      </colgroup>
      {hasSpreads && (
        <thead>
          <tr>
            <td />
            <th scope="col">least</th>
            <th scope="col">mean</th>
            <th scope="col">most</th>
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <FigureRow key={row.name} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function FigureRow({
  row: { name, definition, figures, inT, isDrawn, bounds = [] },
}: {
  readonly row: MeasureRow;
}) {
  return (
    <>
      <tr class="figures">
        <th scope="row" title={definition}>
          {name}
          {isDrawn && <DelaySwatch />}
        </th>
        {figures.map((figure, k) => (
          <td key={k} colSpan={figures.length === 1 ? 3 : 1}>
            {figure}
            {inT && <span class="in-t">{inT[k]}</span>}
          </td>
        ))}
      </tr>
      {bounds.map((bound) => (
        <BoundRow key={bound.text} bound={bound} />
      ))}
    </>
  );
}

const markTexts = { kept: 'Kept', broken: 'Broken', open: 'Decided at the end' } as const;
const markSigns = { kept: '✓', broken: '✕', open: '…' } as const;

function BoundRow({ bound: { text, source, mark } }: { readonly bound: BoundLine }) {
  return (
    <tr class={`bound ${mark}`}>
      <td colSpan={4} title={`${markTexts[mark]}: ${text} (${source})`}>
        <span aria-hidden="true">{markSigns[mark]}</span>
        <span class="hidden">{markTexts[mark]}: </span> {text} <span class="quiet">{source}</span>
      </td>
    </tr>
  );
}

/** The bracket of the space-time diagram: its legend. */
const DelaySwatch = () => (
  <svg class="bracket" viewBox="0 0 20 8" width="20" height="8" role="img">
    <title>drawn as a bracket on the space-time diagram</title>
    <path d="M.5 7.5V1.5H19.5V7.5" fill="none" stroke="currentColor" />
  </svg>
);

/** Says why no bound on a measure is judged, if the algorithm declares some. */
function UnjudgedNote({ lab: { run, algorithm } }: { readonly lab: LabStore }) {
  const isBounded = (algorithm.bounds as readonly Bound[]).some(
    ({ measures = 'messages' }) => measures !== 'messages',
  );
  if (run.measures.plan.isJudged || !isBounded) return null;
  const why = run.isRecorded
    ? 'the run is recorded'
    : run.interventions.length > 0
      ? 'the run was changed by hand'
      : 'the run drops an assumption or has a fault';
  return <p class="quiet">Bounds on times and sizes are not judged: {why}.</p>;
}
