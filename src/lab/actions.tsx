import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { about } from '../catalogue/index.ts';
import type { Pid } from '../core/algorithm.ts';
import { isSection } from '../core/shared.ts';
import { nameOf, useLab } from './context.ts';
import type { Lab } from './lab.ts';
import { phaseWords } from './words.ts';

/** What can be done to what is selected. It always takes the same room. */
export function Actions() {
  const lab = useLab();
  const { selection } = lab;
  const all = about(lab.algorithm).hasLinks ? 'process, message or link' : 'process';
  let content: ComponentChildren = <span class="quiet">Choose a {all} to interfere.</span>;
  if (lab.show.isRecorded)
    content = <span class="quiet">A recorded run: it can be looked at, not changed.</span>;
  else if (selection !== null && 'process' in selection)
    content = <OnProcess lab={lab} process={selection.process} />;
  else if (selection !== null && 'message' in selection)
    content = <OnMessage lab={lab} serial={selection.message} />;
  else if (selection !== null) content = <OnLink lab={lab} between={selection.between} />;
  return <div class="actions">{content}</div>;
}

function OnProcess({ lab, process }: { lab: Lab; process: Pid }) {
  const { chronicle, position, algorithm } = lab;
  const phase = chronicle.phaseAt(process, position);
  const isPaused = chronicle.isPausedAt(process, position);
  const isUp = phase !== 'crashed';
  const hasStarted = algorithm.problem === 'election' && phase !== 'idle';
  const line = about(algorithm).hasLines ? `${lab.show.stateAt(process, position).at}` : null;
  const isAtLine = line !== null && !isSection(line);
  const mayAsk = isUp && !isPaused && phase === 'idle' && !hasStarted && !isAtLine && hasUse(lab, process);
  return (
    <>
      <strong>{nameOf(lab)(process)}</strong>
      <span class={`quiet ${line === null ? '' : 'at-line'}`} title={line ?? ''}>
        {isPaused ? 'paused' : phaseWords[phase]}
        {isAtLine && ` at “${line}”`}
      </span>
      {line !== null && (
        <button
          type="button"
          disabled={!isUp || isPaused || !isAtLine}
          onClick={() => lab.act({ do: 'step', process })}
        >
          Next access
        </button>
      )}
      <button type="button" disabled={!mayAsk} onClick={() => lab.act({ do: 'ask', process })}>
        {line !== null
          ? 'Ask'
          : { mutex: 'Ask for the lock', election: 'Start here', clocks: 'Synchronise' }[algorithm.problem]}
      </button>
      <button
        type="button"
        disabled={!isUp}
        onClick={() => lab.act({ do: isPaused ? 'resume' : 'pause', process })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => lab.act({ do: isUp ? 'crash' : 'restart', process })}
      >
        {isUp ? 'Crash' : 'Restart'}
      </button>
    </>
  );
}

/** Of those whose clocks are synchronised, only some begin it. */
function hasUse({ algorithm, show }: Lab, process: Pid): boolean {
  const begins = about(algorithm).synchronises?.begins ?? 'all';
  return begins === 'all' || (begins === 'root') === (process === show.setup.root);
}

function OnMessage({ lab, serial }: { lab: Lab; serial: number }) {
  const [ticks, setTicks] = useState(20);
  const message = lab.chronicle.messages.get(serial);
  if (!message) return null;
  const isOnItsWay = message.sent < lab.position && (message.ended < 0 || message.ended >= lab.position);
  const name = nameOf(lab);
  return (
    <>
      <strong>{message.text.length > 28 ? message.kind : message.text}</strong>
      <span class="quiet">
        {name(message.from)} → {name(message.to)}
        {isOnItsWay ? '' : ', not on its way now'}
      </span>
      <button
        type="button"
        disabled={!isOnItsWay}
        onClick={() => lab.act({ do: 'deliver', message: serial })}
      >
        Deliver now
      </button>
      <button
        type="button"
        disabled={!isOnItsWay}
        onClick={() => lab.act({ do: 'delay', message: serial, ticks })}
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
        disabled={!isOnItsWay}
        onClick={() => lab.act({ do: 'drop', message: serial })}
      >
        Drop
      </button>
    </>
  );
}

function OnLink({ lab, between }: { lab: Lab; between: readonly [Pid, Pid] }) {
  const name = nameOf(lab);
  const isCut = lab.chronicle.cutAt(lab.position).has(between.join('-'));
  return (
    <>
      <strong>
        Link {name(between[0])} – {name(between[1])}
      </strong>
      <button
        type="button"
        class={isCut ? '' : 'danger'}
        onClick={() => lab.act({ do: isCut ? 'mend' : 'cut', between })}
      >
        {isCut ? 'Mend' : 'Cut'}
      </button>
    </>
  );
}
