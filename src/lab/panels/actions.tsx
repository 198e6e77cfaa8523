import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { algorithmInfo } from '../../catalogue/index.ts';
import type { Pid } from '../../core/algorithm.ts';
import { isSection } from '../../core/shared-algorithm.ts';
import type { LabStore } from '../state/lab-store.ts';
import { processNames, useLab } from '../ui/context.ts';
import { phaseNames } from '../ui/event-text.ts';

/** Offers interventions on the selected process, message or link. Its height is constant. */
export function ActionsPanel() {
  const lab = useLab();
  const { selection } = lab;
  const selectable = algorithmInfo(lab.algorithm).hasLinks ? 'process, message or link' : 'process';
  let content: ComponentChildren = <span class="quiet">Choose a {selectable} to interfere.</span>;
  if (lab.run.isRecorded)
    content = <span class="quiet">A recorded run: it can be looked at, not changed.</span>;
  else if (selection !== null && 'process' in selection)
    content = <ProcessActions lab={lab} process={selection.process} />;
  else if (selection !== null && 'message' in selection)
    content = <MessageActions lab={lab} serial={selection.message} />;
  else if (selection !== null) content = <LinkActions lab={lab} between={selection.between} />;
  return <div class="actions">{content}</div>;
}

function ProcessActions({ lab, process }: { lab: LabStore; process: Pid }) {
  const { traceIndex, position, algorithm } = lab;
  const phase = traceIndex.phaseAt(process, position);
  const isPaused = traceIndex.isPausedAt(process, position);
  const isUp = phase !== 'crashed';
  const hasStarted = algorithm.problem === 'election' && phase !== 'idle';
  const { hasLines, perpetual } = algorithmInfo(algorithm);
  const line = hasLines ? `${lab.run.stateAt(process, position).at}` : null;
  const isAtLine = line !== null && !isSection(line);
  const hasStep = isAtLine || (perpetual === true && line === 'noncritical section');
  const mayAsk =
    isUp && !isPaused && phase === 'idle' && !hasStarted && !isAtLine && mayInitiate(lab, process);
  return (
    <>
      <strong>{processNames(lab)(process)}</strong>
      <span class={`quiet ${line === null ? '' : 'at-line'}`} title={line ?? ''}>
        {isPaused ? 'paused' : phaseNames[phase]}
        {isAtLine && ` at “${line}”`}
      </span>
      {line !== null && (
        <button
          type="button"
          disabled={!isUp || isPaused || !hasStep}
          onClick={() => lab.intervene({ do: 'step', process })}
        >
          Next access
        </button>
      )}
      <button type="button" disabled={!mayAsk} onClick={() => lab.intervene({ do: 'ask', process })}>
        {line !== null
          ? 'Ask'
          : { mutex: 'Ask for the lock', election: 'Start here', clocks: 'Synchronise' }[algorithm.problem]}
      </button>
      <button
        type="button"
        disabled={!isUp}
        onClick={() => lab.intervene({ do: isPaused ? 'resume' : 'pause', process })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => lab.intervene({ do: isUp ? 'crash' : 'restart', process })}
      >
        {isUp ? 'Crash' : 'Restart'}
      </button>
    </>
  );
}

/** Whether a process may start a synchronisation: in some algorithms only the root does, in others all but the root. */
function mayInitiate({ algorithm, run }: LabStore, process: Pid): boolean {
  const begins = algorithmInfo(algorithm).synchronises?.begins ?? 'all';
  return begins === 'all' || (begins === 'root') === (process === run.setup.root);
}

function MessageActions({ lab, serial }: { lab: LabStore; serial: number }) {
  const [ticks, setTicks] = useState(20);
  const message = lab.traceIndex.messages.get(serial);
  if (!message) return null;
  const isInFlight = message.sent < lab.position && (message.ended < 0 || message.ended >= lab.position);
  const name = processNames(lab);
  return (
    <>
      <strong>{message.text.length > 28 ? message.kind : message.text}</strong>
      <span class="quiet">
        {name(message.from)} → {name(message.to)}
        {isInFlight ? '' : ', not on its way now'}
      </span>
      <button
        type="button"
        disabled={!isInFlight}
        onClick={() => lab.intervene({ do: 'deliver', message: serial })}
      >
        Deliver now
      </button>
      <button
        type="button"
        disabled={!isInFlight}
        onClick={() => lab.intervene({ do: 'delay', message: serial, ticks })}
      >
        Delay by
      </button>
      <input
        type="number"
        min="1"
        max="100000"
        value={ticks}
        aria-label="Ticks to delay by"
        onInput={(event) => setTicks(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        class="danger"
        disabled={!isInFlight}
        onClick={() => lab.intervene({ do: 'drop', message: serial })}
      >
        Drop
      </button>
    </>
  );
}

function LinkActions({ lab, between }: { lab: LabStore; between: readonly [Pid, Pid] }) {
  const name = processNames(lab);
  const isCut = lab.traceIndex.missingLinksAt(lab.position).has(between.join('-'));
  return (
    <>
      <strong>
        Link {name(between[0])} – {name(between[1])}
      </strong>
      <button
        type="button"
        class={isCut ? '' : 'danger'}
        onClick={() => lab.intervene({ do: isCut ? 'mend' : 'cut', between })}
      >
        {isCut ? 'Mend' : 'Cut'}
      </button>
    </>
  );
}
