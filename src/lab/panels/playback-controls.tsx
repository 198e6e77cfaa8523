import type { TraceOutput } from '../../core/trace.ts';
import { type LabStore, speeds } from '../state/lab-store.ts';
import { useLab } from '../ui/context.ts';
import { Icon } from '../ui/icons.tsx';

/** Goes to the next event at which a process enters, learns the leader or corrects its clock. */
export const seekEntry = (lab: LabStore, direction: 1 | -1 = 1): void =>
  lab.seek((k) => lab.traceIndex.events[k]!.outputs.some(isProgress), direction);

/** Whether an output is progress of the algorithm, not of a snapshot. */
const isProgress = (output: TraceOutput): boolean =>
  output.kind === 'emit' && output.event.type !== 'recorded' && output.event.type !== 'complete';

export const seekKind = (lab: LabStore, wanted: string): void =>
  lab.seek((k) =>
    lab.traceIndex.events[k]!.outputs.some(
      (output) => output.kind === wanted || (output.kind === 'send' && output.message.type === wanted),
    ),
  );

const seekLabels = {
  mutex: { label: 'Next entry', says: 'Next entry' },
  election: { label: 'Next to learn', says: 'Next to learn the leader' },
  clocks: { label: 'Next correction', says: 'Next clock that is corrected' },
} as const;

export function PlaybackControls() {
  const lab = useLab();
  const { position, run } = lab;
  const end = run.events.length;
  const next = seekLabels[lab.algorithm.problem];
  return (
    <div class="transport" role="toolbar" aria-label="Playing">
      <Button
        name="first"
        label="To the beginning"
        keys="Home"
        onClick={() => lab.goTo(0)}
        disabled={position === 0}
      />
      <Button
        name="back"
        label="One event back"
        keys="←"
        onClick={() => lab.step(-1)}
        disabled={position === 0}
      />
      <button
        type="button"
        class="icon play"
        aria-label={lab.isPlaying ? 'Pause' : 'Play'}
        title={`${lab.isPlaying ? 'Pause' : 'Play'} (space)`}
        onClick={() => lab.play()}
      >
        <Icon name={lab.isPlaying ? 'pause' : 'play'} />
      </button>
      <Button
        name="forward"
        label="One event on"
        keys="→"
        onClick={() => lab.step(1)}
        disabled={run.isOver && position === end}
      />
      <Button
        name="last"
        label="To the end"
        keys="End"
        onClick={() => lab.goToEnd()}
        disabled={run.isOver && position === end}
      />
      <input
        class="scrub"
        type="range"
        min="0"
        max={end}
        value={position}
        aria-label="Position"
        aria-valuetext={`event ${position} of ${end}`}
        onInput={(event) => {
          lab.play(false);
          lab.goTo(Number(event.currentTarget.value));
        }}
      />
      <output class="position" title="events that have happened, of those known">
        {position}
        <span class="quiet"> / {run.isOver ? end : `${end}…`}</span>
      </output>
      <button type="button" onClick={() => seekEntry(lab)} title={`${next.says} (n)`}>
        {next.label}
      </button>
      <label class="speed">
        <span class="hidden">Speed</span>
        <select
          value={`${lab.speed}`}
          title="Events per second ([ and ])"
          onChange={(event) => {
            lab.speed = Number(event.currentTarget.value);
            lab.notify();
          }}
        >
          {speeds.map((speed) => (
            <option key={speed} value={`${speed}`}>
              {speed}/s
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface ButtonProps {
  readonly name: 'first' | 'back' | 'forward' | 'last';
  readonly label: string;
  readonly keys: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

const Button = ({ name, label, keys, disabled, onClick }: ButtonProps) => (
  <button
    type="button"
    class={`icon ${name}`}
    aria-label={label}
    title={`${label} (${keys})`}
    disabled={disabled}
    onClick={onClick}
  >
    <Icon name={name} />
  </button>
);
