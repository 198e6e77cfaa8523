// What the page knows of an algorithm that it must not run.
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { type AnySharedAlgorithm, isShared } from '../../core/shared.ts';
import type { Subject } from '../../stage/index.ts';

/** An algorithm without its functions. */
export type Description = SendingDescription | SharingDescription;

type SendingDescription = Pick<
  AnyAlgorithm,
  'name' | 'problem' | 'paper' | 'assumes' | 'knows' | 'elects' | 'synchronises' | 'timers' | 'perpetual'
> & { readonly kinds: readonly string[]; readonly stabilises: boolean };

type SharingDescription = Pick<
  AnySharedAlgorithm,
  'name' | 'problem' | 'paper' | 'assumes' | 'processes' | 'request' | 'release'
>;

export const describe = (algorithm: Subject): Description =>
  isShared(algorithm) ? describeSharing(algorithm) : describeSending(algorithm);

function describeSending({ on, stabilises, ...algorithm }: AnyAlgorithm): SendingDescription {
  const { name, problem, paper, knows, elects, synchronises, timers, perpetual } = algorithm;
  const { topology, channels, failures, timing } = algorithm.assumes;
  return {
    ...{ name, problem, paper, knows, assumes: { topology, channels, failures, timing } },
    ...(elects && { elects }),
    ...(synchronises && { synchronises }),
    ...(timers && { timers }),
    ...(perpetual && { perpetual: true }),
    kinds: Object.keys(on),
    stabilises: stabilises !== undefined,
  };
}

function describeSharing(algorithm: AnySharedAlgorithm): SharingDescription {
  const { name, problem, paper, processes, request, release } = algorithm;
  const { failures } = algorithm.assumes;
  return { name, problem, paper, assumes: { failures }, ...(processes && { processes }), request, release };
}

function elsewhere(): never {
  throw new Error('what somebody wrote runs in a thread of its own');
}

/** In place of the algorithm, for all that asks what it is; nothing of it can be run. */
export function standIn(description: Description): Subject {
  if (!('kinds' in description))
    return { ...description, bounds: [], registers: elsewhere, init: elsewhere, program: elsewhere };
  const { kinds, stabilises, ...described } = description;
  return {
    ...described,
    bounds: [],
    init: elsewhere,
    calls: {},
    on: Object.fromEntries(kinds.map((kind) => [kind, elsewhere])),
    ...(stabilises && { stabilises: { scramble: elsewhere, legitimate: elsewhere } }),
  };
}
