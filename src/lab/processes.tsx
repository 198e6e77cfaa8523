import type { Pid } from '../core/algorithm.ts';
import { glyphs } from '../diagram/index.ts';
import { nameOf, useLab } from './context.ts';
import type { Lab } from './lab.ts';
import { Rows } from './rows.tsx';
import { phaseWords, valueText } from './words.ts';

const few = 24; // processes whose whole state is shown

/** The local state of each process, and what the last event changed. */
export function Processes() {
  const lab = useLab();
  const { n } = lab.show.setup;
  if (n <= few) {
    return (
      <ul class="processes" aria-label="Local states">
        {Array.from({ length: n }, (_, i) => (
          <li key={i}>
            <ProcessButton lab={lab} process={i} />
            <State lab={lab} process={i} />
          </li>
        ))}
      </ul>
    );
  }
  const selected = lab.selection !== null && 'process' in lab.selection ? lab.selection.process : null;
  const shown = selected ?? lab.chronicle.events[lab.position - 1]?.process ?? 0;
  return (
    <>
      <div class="processes one">
        <ProcessButton lab={lab} process={shown} />
        <State lab={lab} process={shown} />
      </div>
      <Rows count={n} height={30} label="Processes" row={(i) => <ProcessButton lab={lab} process={i} />} />
    </>
  );
}

function ProcessButton({ lab, process }: { readonly lab: Lab; readonly process: Pid }) {
  const phase = lab.chronicle.phaseAt(process, lab.position);
  const isPaused = lab.chronicle.isPausedAt(process, lab.position);
  const isSelected =
    lab.selection !== null && 'process' in lab.selection && lab.selection.process === process;
  const isActing = lab.chronicle.events[lab.position - 1]?.process === process;
  return (
    <button
      type="button"
      class={`process ${phase} ${isActing ? 'acting' : ''}`}
      aria-pressed={isSelected}
      onClick={() => lab.select(isSelected ? null : { process })}
    >
      <span class="glyph" aria-hidden="true">
        {isPaused ? '‖' : glyphs[phase]}
      </span>
      <strong>{nameOf(lab)(process)}</strong>
      <span class="phase">{isPaused ? 'paused' : phaseWords[phase]}</span>
    </button>
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** Beside a snapshot, the state of what runs and what has been recorded of it. */
function plain(state: Fields): Fields {
  if (!('run' in state && 'cut' in state)) return state;
  const { state: recorded, awaited } = state.cut as Fields;
  return { ...(state.run as Fields), ...(recorded !== null && { 'markers awaited': awaited, recorded }) };
}

function State({ lab, process }: { readonly lab: Lab; readonly process: Pid }) {
  const state = plain(lab.show.stateAt(process, lab.position));
  const before = lab.position > 0 ? plain(lab.show.stateAt(process, lab.position - 1)) : state;
  return (
    <dl>
      {Object.entries(state).map(([field, value]) => {
        const text = valueText(value);
        const isNew = value !== before[field] && text !== valueText(before[field]);
        return (
          <div key={field} class={isNew ? 'new' : ''}>
            <dt>{field}</dt>
            <dd title={isNew ? `was ${valueText(before[field])}` : text}>{text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
