import type { Pid } from '../../core/algorithm.ts';
import { glyphs } from '../../diagram/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { processNames, useLab } from '../ui/context.ts';
import { phaseNames } from '../ui/event-text.ts';
import { VirtualList } from '../ui/virtual-list.tsx';

const maxWithState = 24; // with more processes, only one state is shown

/** Shows the local state of each process, and marks the fields that the latest event changed. */
export function ProcessesPanel() {
  const lab = useLab();
  const { n } = lab.run.setup;
  if (n <= maxWithState) {
    return (
      <ul class="processes" aria-label="Local states">
        {Array.from({ length: n }, (_, i) => (
          <li key={i}>
            <ProcessButton lab={lab} process={i} />
            <ProcessStateList lab={lab} process={i} />
          </li>
        ))}
      </ul>
    );
  }
  const selected = lab.selection !== null && 'process' in lab.selection ? lab.selection.process : null;
  const shown = selected ?? lab.traceIndex.events[lab.position - 1]?.process ?? 0;
  return (
    <>
      <div class="processes one">
        <ProcessButton lab={lab} process={shown} />
        <ProcessStateList lab={lab} process={shown} />
      </div>
      <VirtualList
        count={n}
        height={30}
        label="Processes"
        row={(i) => <ProcessButton lab={lab} process={i} />}
      />
    </>
  );
}

function ProcessButton({ lab, process }: { readonly lab: LabStore; readonly process: Pid }) {
  const phase = lab.traceIndex.phaseAt(process, lab.position);
  const isPaused = lab.traceIndex.isPausedAt(process, lab.position);
  const isSelected =
    lab.selection !== null && 'process' in lab.selection && lab.selection.process === process;
  const isActing = lab.traceIndex.events[lab.position - 1]?.process === process;
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
      <strong>{processNames(lab)(process)}</strong>
      <span class="phase">{isPaused ? 'paused' : phaseNames[phase]}</span>
    </button>
  );
}

function ProcessStateList({ lab, process }: { readonly lab: LabStore; readonly process: Pid }) {
  const { run, position } = lab;
  const state = run.stateAt(process, position);
  const before = run.stateAt(process, Math.max(position - 1, 0));
  const fields = run.stateText.fields(process, state);
  const old = new Map(before === state ? fields : run.stateText.fields(process, before));
  return (
    <dl>
      {fields.map(([field, text]) => {
        const isNew = text !== old.get(field);
        return (
          <div key={field} class={isNew ? 'new' : ''}>
            <dt>{field}</dt>
            <dd title={isNew ? `was ${old.get(field) ?? 'absent'}` : text}>{text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
