import { about, resolve } from '../catalogue/index.ts';
import { InputError } from '../core/assert.ts';
import type { Trace } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { parseFields, prepare, type Setup } from '../sim/index.ts';
import type { Scene } from './address.ts';
import type { Order } from './run/protocol.ts';

const most = 5000; // processes

/** An algorithm that somebody wrote. */
export interface Own {
  readonly algorithm: EitherAlgorithm; // a stand-in: it never runs on the page
  readonly code: string; // that it was compiled to
  readonly text: string;
  readonly packed: string; // for the address
}

/** A run to be shown instead of what is shown. */
export interface Next {
  readonly algorithm: EitherAlgorithm;
  readonly own: Own | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly order: Order;
  readonly position: number | null; // null: where the order leads to
}

/** What its fields come to. */
export const setupFor = ({ algorithm, fields }: Pick<Next, 'algorithm' | 'fields'>): Setup =>
  prepare(algorithm, parseFields(fields));

function shown(name: string): EitherAlgorithm {
  const algorithm = resolve(name);
  const { synchronises, snapshots } = about(algorithm);
  if (!synchronises || !snapshots) return algorithm;
  throw new InputError(
    `the lab shows no snapshots of algorithms that synchronise clocks: baton simulate ${algorithm.name} takes one`,
  );
}

/** A run that comes about as its scene says. */
export function staged({ algorithm: name, fields, interventions, position }: Scene, own: Own | null): Next {
  const algorithm = own?.algorithm ?? shown(name);
  if (Number(fields.n) > most)
    throw new InputError(`the lab draws up to ${most} processes; baton simulate runs millions`);
  const order = { kind: 'scenario', scenario: { fields, interventions } } as const;
  return { algorithm, own, fields, order, position: position ?? 0 };
}

/** A run that has been, as its trace has it. */
export function traced(trace: Trace, name: string, own: Own | null, position: number | null): Next {
  const { algorithm: called, hand, ...fields } = trace.scenario;
  if (called === undefined && own === null)
    throw new InputError(`${name} does not name its algorithm: add a line 'algorithm NAME' to its scenario`);
  const algorithm = own?.algorithm ?? shown(called!);
  return { algorithm, own, fields, order: { kind: 'trace', trace }, position };
}
