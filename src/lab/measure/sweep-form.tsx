import type { Problem } from '../../core/algorithm.ts';
import type { OwnAlgorithm } from './own-algorithm.ts';
import {
  measurableAlgorithms,
  runCounts,
  type Sweep,
  sweepProblem,
  sweepSizes,
  sweptAlgorithms,
  sweptTitle,
  toggleAlgorithm,
  withProblem,
} from './sweep.ts';

const problems: readonly (readonly [Problem, string])[] = [
  ['mutex', 'Mutual exclusion'],
  ['election', 'Election'],
];

interface SweepFormProps {
  readonly sweep: Sweep;
  readonly own: OwnAlgorithm | null;
  readonly measure: (sweep: Sweep) => void;
}

/** Chooses sizes, runs and algorithms. */
export function SweepForm({ sweep, own, measure }: SweepFormProps) {
  const problem = sweepProblem(sweep, own);
  const offered = new Set([
    ...(own ? [own.algorithm] : []),
    ...measurableAlgorithms,
    ...sweptAlgorithms(sweep, own), // users can name further compositions
  ]);
  return (
    <>
      <section class="panel scenario">
        <h2>Sizes</h2>
        <label>
          Processes, up to
          <select
            value={sweep.max}
            onChange={(event) => measure({ ...sweep, max: Number(event.currentTarget.value) })}
          >
            {sweepSizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
        <label>
          Runs of each
          <select
            value={sweep.runs}
            onChange={(event) => measure({ ...sweep, runs: Number(event.currentTarget.value) })}
          >
            {runCounts.map((count) => (
              <option key={count} value={count}>
                {count}
              </option>
            ))}
          </select>
        </label>
      </section>
      <section class="panel choices">
        <h2 id="measured-algorithms">Algorithms</h2>
        <div class="spacing" role="radiogroup" aria-label="Problem">
          {problems.map(([id, title]) => (
            <label key={id}>
              <input
                type="radio"
                name="problem"
                checked={problem === id}
                onChange={() => measure(withProblem(sweep, id, own))}
              />
              <span>{title}</span>
            </label>
          ))}
        </div>
        <ul aria-labelledby="measured-algorithms">
          {[...offered]
            .filter((algorithm) => algorithm.problem === problem)
            .map((algorithm) => (
              <li key={algorithm.name}>
                <label>
                  <input
                    type="checkbox"
                    checked={sweep.names.includes(algorithm.name)}
                    onChange={() => measure(toggleAlgorithm(sweep, algorithm.name))}
                  />
                  {sweptTitle(algorithm, own)}
                </label>
              </li>
            ))}
        </ul>
      </section>
    </>
  );
}
