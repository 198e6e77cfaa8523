import { real, simulate, type Variant } from './simulate-group.ts';

const lastEvents = 80;

/** What went wrong with this seed, what happened before, and how to see it again. */
export function report(seed: number, variant: Variant = real): string {
  const { algorithm, violation, trace } = simulate(seed, variant, true);
  return [
    `seed ${seed}, ${algorithm}`,
    ...trace.slice(-lastEvents),
    `violated: ${violation}`,
    `again: npm run soak -- --from ${seed} --seeds 1 --trace`,
  ].join('\n');
}
