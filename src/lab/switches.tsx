import {
  type Assumption,
  assumptionsFor,
  goneFrom,
  isSwitchable,
  questionWithout,
  voided,
} from './assumptions.ts';
import type { Lab } from './lab.ts';

/** What the algorithm counts on, to be taken away; or given back, if the scenario is without it. */
export function Switches({ lab }: { readonly lab: Lab }) {
  const { algorithm, show, fields } = lab;
  const gone = goneFrom(algorithm, show.setup);
  const switchable = assumptionsFor(algorithm);
  const all = [...switchable, ...gone.filter((one) => !isSwitchable(one))];
  if (all.length === 0) return null;
  const toggle = (one: Assumption) => {
    const others = Object.entries(fields).filter(([field]) => !one.fields.includes(field));
    const isTaken = !gone.includes(one) && isSwitchable(one);
    lab.set({ ...Object.fromEntries(others), ...(isTaken && { [one.fields[0]]: one.value(show.setup.n) }) });
  };
  return (
    <section class="panel switches">
      <h2>It counts on this</h2>
      {all.map((one) => (
        <label class="switch" key={one.says}>
          <input type="checkbox" checked={!gone.includes(one)} onChange={() => toggle(one)} />
          <span>{one.says}</span>
        </label>
      ))}
      {gone.length > 0 && (
        <>
          <p class="void">{voided(algorithm, gone)}</p>
          {algorithm.problem !== 'clocks' && gone.every(isSwitchable) && (
            <button type="button" onClick={() => lab.ask(questionWithout(show.setup, gone))}>
              Let the checker find the failure
            </button>
          )}
        </>
      )}
    </section>
  );
}
