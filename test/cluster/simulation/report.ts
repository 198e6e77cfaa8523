import { real, simulate, type Variant } from './simulate-group.ts';

const lastEvents = 80;

/** Returns the violation of a seed, the events before it, and the command that repeats it. */
export function report(seed: number, variant: Variant = real): string {
  const { algorithm, violation, trace } = simulate(seed, variant, true);
  return [
    `seed ${seed}, ${algorithm}`,
    ...trace.slice(-lastEvents),
    `violated: ${violation}`,
    `again: npm run soak -- groups --from ${seed} --seeds 1 --trace`,
  ].join('\n');
}
