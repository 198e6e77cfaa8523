import {
  type Assumption,
  checkRequestWithout,
  isSwitchable,
  switchableAssumptions,
  violatedAssumptions,
  voidedPromises,
} from '../state/assumptions.ts';
import type { LabStore } from '../state/lab-store.ts';

/** Switches for the assumptions of the algorithm: off violates an assumption, on restores it. */
export function AssumptionSwitches({ lab }: { readonly lab: LabStore }) {
  const { algorithm, run, fields } = lab;
  const violated = violatedAssumptions(algorithm, run.setup);
  const switchable = switchableAssumptions(algorithm);
  const all = [...switchable, ...violated.filter((one) => !isSwitchable(one))];
  if (all.length === 0) return null;
  const toggle = (one: Assumption) => {
    const others = Object.entries(fields).filter(([field]) => !one.fields.includes(field));
    const isTurnedOff = !violated.includes(one) && isSwitchable(one);
    lab.setScenario({
      ...Object.fromEntries(others),
      ...(isTurnedOff && { [one.fields[0]]: one.value(run.setup.n) }),
    });
  };
  return (
    <section class="panel switches">
      <h2>It counts on this</h2>
      {all.map((one) => (
        <label class="switch" key={one.says}>
          <input type="checkbox" checked={!violated.includes(one)} onChange={() => toggle(one)} />
          <span>{one.says}</span>
        </label>
      ))}
      {violated.length > 0 && (
        <>
          <p class="void">{voidedPromises(algorithm, violated)}</p>
          {algorithm.problem !== 'clocks' && violated.every(isSwitchable) && (
            <button type="button" onClick={() => lab.openCheck(checkRequestWithout(run.setup, violated))}>
              Let the checker find the failure
            </button>
          )}
        </>
      )}
    </section>
  );
}
