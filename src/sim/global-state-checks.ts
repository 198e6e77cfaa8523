import type { Message, World } from '../core/algorithm.ts';
import type { DeclaredAlgorithm } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Application } from './processes/application.ts';
import type { Setup } from './scenario/setup.ts';
import type { WatchOptions } from './watch-options.ts';

/** Checks the global state: the snapshot, the invariants, and legitimacy after a disturbance. */
export function globalStateViolations(
  { algorithm }: Pick<Setup, 'algorithm'>,
  watch: WatchOptions,
  application: Application,
  world: () => object,
  now: number,
): Violation[] {
  const snapshotViolation = application.snapshotViolation(() =>
    algorithm.snapshots!.recorded(world() as World<unknown, Message>),
  );
  if (snapshotViolation !== null) return [snapshotViolation];
  if (!watch.invariants && !application.isDisturbed) return [];
  const state = world();
  const broken = watch.invariants ? invariantViolations(algorithm, state, now) : [];
  const unsettled = application.isDisturbed
    ? application.observeLegitimacy(algorithm.stabilises!.legitimate(state))
    : null;
  return unsettled === null ? broken : [...broken, unsettled];
}

/** The algorithm's invariants that do not hold in this world. */
function invariantViolations(
  { invariants = {} }: DeclaredAlgorithm,
  world: object,
  now: number,
): Violation[] {
  return Object.entries(invariants)
    .filter(([, holds]) => !holds(world as never))
    .map(([property]) => ({ property, why: `it fails at time ${now}` }));
}
