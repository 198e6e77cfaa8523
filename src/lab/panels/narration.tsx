import { failingRunOf, isMutant } from '../../catalogue/index.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { changesText } from '../../timeline/index.ts';
import { firstScenario } from '../state/first-scenario.ts';
import type { LabStore } from '../state/lab-store.ts';
import { eventNames, useLab } from '../ui/context.ts';
import { eventSentence } from '../ui/event-text.ts';

/** Describes the latest event, the end of the run, and failed actions. */
export function Narration() {
  const lab = useLab();
  const { position, run, problem } = lab;
  const event = run.events[position - 1];
  const isEnd = run.isOver && position === run.events.length;
  const isBad = isEnd && run.verdict!.includes(' is violated');
  const isFromFuture = run.cut?.inconsistent.some(({ ended }) => ended === position - 1);
  return (
    <div class="narration" role="status" aria-live={lab.isPlaying ? 'off' : 'polite'}>
      <p>
        <span class="quiet time">{event ? `time ${event.time}` : 'time 0'}</span>
        {event ? eventSentence(event, eventNames(lab)) : 'Nothing has happened yet.'}
      </p>
      {event && <Changes lab={lab} event={event} />}
      {run.head.loop === `${position}` && <p>From here it goes round for ever.</p>}
      {problem === null && !isBad && isFromFuture && (
        <p class="problem">It was sent after the cut and comes before it: the snapshot is not consistent.</p>
      )}
      {problem !== null && <p class="problem">Not done: {problem}.</p>}
      {problem === null && isBad && (
        <p class="violated">Violated: {run.verdict!.replace(' is violated', '')}.</p>
      )}
      {problem === null && isEnd && run.verdict === 'ok' && <Passed lab={lab} />}
    </div>
  );
}

/** Says which registers, and which fields of its process, the latest event changed. */
function Changes({ lab, event }: { readonly lab: LabStore; readonly event: TraceEvent }) {
  const { run, position, traceIndex } = lab;
  const changes = [
    ...traceIndex.registers.changesAt(position, event),
    ...run.stateText.changesAt(run, position),
  ];
  const text = changesText(changes);
  return text === '' ? null : (
    <div class="changes" title={text}>
      {text}
    </div>
  );
}

/** Says that a run passed. A mutant that passes has not shown its error, so the page offers a run, or a check, that does. */
function Passed({ lab }: { readonly lab: LabStore }) {
  const { algorithm, spacing } = lab;
  if (!isMutant(algorithm)) return <p class="fine">The run is over, and everything promised held.</p>;
  const { name } = algorithm;
  if (failingRunOf(algorithm) === null)
    return (
      <p class="unshown">
        This run does not show the error: no run breaks a promise.{' '}
        <button type="button" class="small" onClick={() => lab.openCheck(`${name};n:3`)}>
          Check the lemmas
        </button>
      </p>
    );
  const open = () => {
    const fields = firstScenario(algorithm);
    lab.load({ algorithm: name, fields, interventions: [], position: null, spacing });
  };
  return (
    <p class="unshown">
      This run does not show the error.{' '}
      <button type="button" class="small" onClick={open}>
        Open a run that fails
      </button>
    </p>
  );
}
