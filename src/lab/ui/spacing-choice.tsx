import type { Spacing } from '../../diagram/index.ts';

interface Props {
  readonly name: string; // of the radio group
  readonly spacing: Spacing;
  readonly set: (spacing: Spacing) => void;
}

/** Chooses whether events are equally spaced or drawn to the scale of time. */
export const SpacingChoice = ({ name, spacing, set }: Props) => (
  <div class="spacing" role="radiogroup" aria-label="Spacing of events">
    {(['even', 'time'] as const).map((one) => (
      <label key={one}>
        <input type="radio" name={name} checked={spacing === one} onChange={() => set(one)} />
        <span>{one === 'even' ? 'Step by step' : 'As in time'}</span>
      </label>
    ))}
  </div>
);
