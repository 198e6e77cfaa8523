import { algorithmInfo } from '../../catalogue/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { kindsOf, useLab } from '../ui/context.ts';
import { KindSwatch } from '../ui/kind-swatch.tsx';
import { seekKind } from './playback-controls.tsx';

/** Counts messages or accesses by kind, and compares them with the bounds of the paper. */
export function CountersPanel() {
  const lab = useLab();
  const kinds = kindsOf(lab);
  const hasMemory = lab.traceIndex.registers.names.length > 0;
  const sent = hasMemory
    ? accesses.map((kind) => lab.traceIndex.registers.madeBefore(kind, lab.position))
    : kinds.map((kind) => lab.traceIndex.sentBefore(kind, lab.position));
  const { crashNotice } = algorithmInfo(lab.algorithm); // no algorithm sends it
  const total = sent.reduce((sum, count, k) => (kinds[k] === crashNotice ? sum : sum + count), 0);
  return (
    <section class="panel counters" aria-label={hasMemory ? 'Accesses' : 'Messages sent'}>
      <h2>
        {hasMemory ? 'Accesses' : 'Messages'} <output>{total}</output>
      </h2>
      <ul>
        {kinds.map((kind, k) => (
          <li key={kind}>
            <KindSwatch k={k} kind={kind} />
            <span class="kind">{kind}</span>
            <output>{sent[k]}</output>
            <button
              type="button"
              class="small"
              title={`To the next ${kind}${hasMemory ? '' : ' that is sent'}`}
              onClick={() => seekKind(lab, kind)}
            >
              next<span class="hidden"> {kind}</span>
            </button>
          </li>
        ))}
      </ul>
      <BoundsTable lab={lab} kinds={kinds} sent={sent} />
    </section>
  );
}

const accesses = ['read', 'write'] as const;

function BoundsTable({
  lab,
  kinds,
  sent,
}: {
  readonly lab: LabStore;
  readonly kinds: readonly string[];
  readonly sent: readonly number[];
}) {
  const { asked, granted, allowed } = lab.run.boundsStatusAt(lab.position);
  const { problem } = lab.algorithm;
  if (allowed.length === 0) return null;
  return (
    <table>
      <caption>
        The paper’s bounds for{' '}
        {problem === 'mutex' && `${asked} ${asked === 1 ? 'request' : 'requests'}, ${granted} granted`}
        {problem === 'election' && 'one election'}
        {problem === 'clocks' && `${asked} ${asked === 1 ? 'synchronisation' : 'synchronisations'}`}
      </caption>
      <tbody>
        {allowed.map(({ counts, atLeast, atMost, formula, says }) => {
          const counted = counts.reduce((sum, kind) => sum + (sent[kinds.indexOf(kind)] ?? 0), 0);
          const isOver = counted > atMost;
          const share = atMost > 0 && atMost < Infinity ? Math.min(1, counted / atMost) : 0;
          return (
            <tr key={counts.join(' ')} title={says}>
              <th scope="row">{counts.join(' + ')}</th>
              <td>
                <span class={`bar ${isOver ? 'over' : ''}`} style={{ '--share': share }} />
              </td>
              <td class={isOver ? 'over' : ''}>{comparison(counted, atLeast, atMost)}</td>
              <td class="formula">{formula ?? ''}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns a text like `12 ≤ 20`, or `12 of 20` below a lower bound. */
function comparison(counted: number, atLeast: number, atMost: number): string {
  if (counted < atLeast) return `${counted} of ${number(atLeast)}`;
  if (atMost === Infinity) return `${counted}`;
  return `${counted} ${counted > atMost ? '>' : counted === atMost ? '=' : '≤'} ${number(atMost)}`;
}

const number = (value: number): string => `${Math.round(value * 100) / 100}`;
