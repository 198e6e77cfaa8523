// What the page knows of an algorithm that it must not run.
import type { AnyAlgorithm } from '../../core/algorithm.ts';

/** An algorithm without its functions. */
export type Description = Pick<
  AnyAlgorithm,
  'name' | 'problem' | 'paper' | 'assumes' | 'knows' | 'elects' | 'timers' | 'perpetual'
> & { readonly kinds: readonly string[]; readonly stabilises: boolean };

export function describe({ on, stabilises, ...algorithm }: AnyAlgorithm): Description {
  const { name, problem, paper, knows, elects, timers, perpetual } = algorithm;
  const { topology, channels, failures, timing } = algorithm.assumes;
  return {
    ...{ name, problem, paper, knows, assumes: { topology, channels, failures, timing } },
    ...(elects && { elects }),
    ...(timers && { timers }),
    ...(perpetual && { perpetual: true }),
    kinds: Object.keys(on),
    stabilises: stabilises !== undefined,
  };
}

function elsewhere(): never {
  throw new Error('what somebody wrote runs in a thread of its own');
}

/** In place of the algorithm, for all that asks what it is; nothing of it can be run. */
export function standIn({ kinds, stabilises, ...described }: Description): AnyAlgorithm {
  return {
    ...described,
    bounds: [],
    init: elsewhere,
    calls: {},
    on: Object.fromEntries(kinds.map((kind) => [kind, elsewhere])),
    ...(stabilises && { stabilises: { scramble: elsewhere, legitimate: elsewhere } }),
  };
}
