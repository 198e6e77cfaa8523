import { assumptionsDropped } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { interventionText } from '../ui/event-text.ts';
import { Icon } from '../ui/icons.tsx';

/** Lists the interventions in the run. Each can be taken back. */
export function InterventionList({ lab }: { readonly lab: LabStore }) {
  const { run } = lab;
  const { interventions } = run;
  if (interventions.length === 0) return null;
  const done = interventions.filter((one) => run.refusalReason(one) === null);
  const dropped = assumptionsDropped(lab.algorithm, done);
  return (
    <section class="panel done">
      <h2>What you did</h2>
      <ul>
        {interventions.map((one) => (
          <li key={`${one.at}${interventionText(one)}`}>
            <button type="button" class="link" onClick={() => lab.goTo(one.at)}>
              <span class="quiet">at {one.at}</span> {interventionText(one)}
            </button>
            <button
              type="button"
              class="icon"
              aria-label={`Take back: ${interventionText(one)}`}
              title="Take back"
              onClick={() => lab.undo(one)}
            >
              <Icon name="close" />
            </button>
            {!done.includes(one) && <small>not done: {run.refusalReason(one)}</small>}
          </li>
        ))}
      </ul>
      {dropped.length > 0 && (
        <p class="void">No longer true: {dropped.join(', ')}. What the algorithm promises is void.</p>
      )}
    </section>
  );
}
