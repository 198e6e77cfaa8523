import { InputError } from '../core/assert.ts';
import type { Trace } from '../core/trace.ts';
import { parseFields, setupOf } from '../sim/index.ts';
import type { Subject } from '../stage/index.ts';
import type { Scene } from './address.ts';
import { find, whyNotFound } from './catalogue.ts';
import type { Order } from './run/protocol.ts';

const most = 5000; // processes

/** An algorithm that somebody wrote. */
export interface Own {
  readonly algorithm: Subject; // a stand-in: it never runs on the page
  readonly code: string; // that it was compiled to
  readonly text: string;
  readonly packed: string; // for the address
}

/** A run to be shown instead of what is shown. */
export interface Next {
  readonly algorithm: Subject;
  readonly own: Own | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly order: Order;
  readonly position: number | null; // null: where the order leads to
}

/** What its fields come to. */
export const setupFor = ({ algorithm, fields }: Pick<Next, 'algorithm' | 'fields'>) =>
  setupOf(algorithm, parseFields(fields));

/** A run that comes about as its scene says. */
export function staged({ algorithm: name, fields, interventions, position }: Scene, own: Own | null): Next {
  const algorithm = own?.algorithm ?? find(name);
  if (!algorithm) throw new InputError(whyNotFound(name));
  if (Number(fields.n) > most)
    throw new InputError(`the lab draws up to ${most} processes; baton simulate runs millions`);
  const order = { kind: 'scenario', scenario: { fields, interventions } } as const;
  return { algorithm, own, fields, order, position: position ?? 0 };
}

/** A run that has been, as its trace has it. */
export function traced(trace: Trace, name: string, own: Own | null, position: number | null): Next {
  const { scenario } = trace;
  const algorithm = own?.algorithm ?? find(scenario.algorithm ?? '');
  if (!algorithm)
    throw new InputError(`${name} is a trace of '${scenario.algorithm}', which is not shown here`);
  const { algorithm: _, hand, ...fields } = scenario;
  return { algorithm, own, fields, order: { kind: 'trace', trace }, position };
}
