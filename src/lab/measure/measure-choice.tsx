import type { Problem } from '../../core/algorithm.ts';
import { type Measure, type MeasureId, measureHeading, measureOf, measuresOf } from '../../measure/index.ts';

interface MeasureChoiceProps {
  readonly problem: Problem;
  readonly measure: MeasureId;
  readonly choose: (measure: MeasureId) => void;
  readonly status: string; // of the sweep
}

/** Chooses what is plotted, and says what it is. */
export function MeasureChoice({ problem, measure, choose, status }: MeasureChoiceProps) {
  const measures = measuresOf(problem);
  return (
    <section class="panel measure-choice" aria-label="What is plotted">
      <div class="named-select">
        <label for="plotted-measure">Measure</label>
        <select
          id="plotted-measure"
          value={measure}
          aria-describedby="measure-definition"
          onChange={(event) => choose(event.currentTarget.value as MeasureId)}
        >
          {measures.map((one) => (
            <option key={one.id} value={one.id}>
              {headingOf(one, problem)}
            </option>
          ))}
        </select>
      </div>
      <p id="measure-definition" class="quiet">
        {definitionOf(measureOf(measure))}
      </p>
      <p class="progress" role="status">
        {status}
      </p>
      <details>
        <summary>All measures</summary>
        <dl>
          {measures.map((one) => (
            <div key={one.id}>
              <dt>{headingOf(one, problem)}</dt>
              <dd>{definitionOf(one)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

const capitalised = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

/** Returns the heading of a measure: `Synchronisation delay in T`. */
export const headingOf = (measure: Measure, problem: Problem): string =>
  `${capitalised(measureHeading(measure, problem))}${measure.unit === '%' ? ' in %' : ''}`;

const definitionOf = ({ about, unit }: Measure): string =>
  `${capitalised(about)}.${unit.endsWith('T') ? ' T is the longest time of a message.' : ''}`;
