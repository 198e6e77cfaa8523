import { assumptionsFor, questionWithout, voided } from './assumptions.ts';
import type { Lab } from './lab.ts';

/** What the algorithm counts on, to be taken away. */
export function Switches({ lab }: { readonly lab: Lab }) {
  const { algorithm, show, fields } = lab;
  const assumptions = assumptionsFor(algorithm);
  const gone = assumptions.filter(({ isGone }) => isGone(show.setup));
  if (assumptions.length === 0) return null;
  const toggle = (field: string, value: string | null) => {
    const { [field]: _, ...rest } = fields;
    lab.set(value === null ? rest : { ...rest, [field]: value });
  };
  return (
    <section class="panel switches">
      <h2>It counts on this</h2>
      {assumptions.map((one) => (
        <label class="switch" key={one.says}>
          <input
            type="checkbox"
            checked={!gone.includes(one)}
            onChange={() => toggle(one.field, gone.includes(one) ? null : one.value(show.setup.n))}
          />
          <span>{one.says}</span>
        </label>
      ))}
      {gone.length > 0 && (
        <>
          <p class="void">{voided(algorithm, gone)}</p>
          {algorithm.problem !== 'clocks' && (
            <button type="button" onClick={() => lab.ask(questionWithout(show.setup, gone))}>
              Let the checker find the failure
            </button>
          )}
        </>
      )}
    </section>
  );
}
