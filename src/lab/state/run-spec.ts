import { algorithmInfo, resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import type { Trace } from '../../core/trace.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseScenario, prepare, type Setup } from '../../sim/index.ts';
import type { RunSource } from '../run-worker/run-protocol.ts';
import type { PageState } from './permalink.ts';

const maxProcesses = 5000; // processes

/** An algorithm that somebody wrote. */
export interface CustomAlgorithm {
  readonly algorithm: EitherAlgorithm; // a stand-in: it never runs on the page
  readonly code: string; // that it was compiled to
  readonly text: string;
  readonly packed: string; // for the address
}

/** A run to be shown instead of what is shown. */
export interface RunSpec {
  readonly algorithm: EitherAlgorithm;
  readonly customAlgorithm: CustomAlgorithm | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly runSource: RunSource;
  readonly position: number | null; // null: where the order leads to
}

/** What its fields come to. */
export const setupFor = ({ algorithm, fields }: Pick<RunSpec, 'algorithm' | 'fields'>): Setup =>
  prepare(algorithm, parseScenario(fields));

function showableAlgorithm(name: string): EitherAlgorithm {
  const algorithm = resolve(name);
  const { synchronises, snapshots } = algorithmInfo(algorithm);
  if (!synchronises || !snapshots) return algorithm;
  throw new InputError(
    `the lab shows no snapshots of algorithms that synchronise clocks: baton simulate ${algorithm.name} takes one`,
  );
}

/** A run that comes about as its scene says. */
export function specFromScenario(
  { algorithm: name, fields, interventions, position }: PageState,
  own: CustomAlgorithm | null,
): RunSpec {
  const algorithm = own?.algorithm ?? showableAlgorithm(name);
  if (Number(fields.n) > maxProcesses)
    throw new InputError(`the lab draws up to ${maxProcesses} processes; baton simulate runs millions`);
  const order = { kind: 'scenario', scenario: { fields, interventions } } as const;
  return { algorithm, customAlgorithm: own, fields, runSource: order, position: position ?? 0 };
}

/** A run that has been, as its trace has it. */
export function specFromTrace(
  trace: Trace,
  name: string,
  own: CustomAlgorithm | null,
  position: number | null,
): RunSpec {
  const { algorithm: called, hand, ...fields } = trace.scenario;
  if (called === undefined && own === null)
    throw new InputError(`${name} does not name its algorithm: add a line 'algorithm NAME' to its scenario`);
  const algorithm = own?.algorithm ?? showableAlgorithm(called!);
  return { algorithm, customAlgorithm: own, fields, runSource: { kind: 'trace', trace }, position };
}
