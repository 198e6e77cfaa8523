import { algorithmInfo, resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import type { Trace } from '../../core/trace.ts';
import type { EitherAlgorithm } from '../../machine/index.ts';
import { parseScenario, prepare, type Setup } from '../../sim/index.ts';
import type { RunSource } from '../run-worker/run-protocol.ts';
import type { PageState } from './permalink.ts';

const maxProcesses = 5000;

/** An algorithm from the editor. */
export interface CustomAlgorithm {
  readonly algorithm: EitherAlgorithm; // a stub: it never runs on the page
  readonly code: string; // compiled from the text
  readonly text: string;
  readonly packed: string; // for permalinks
}

/** A run to load. */
export interface RunSpec {
  readonly algorithm: EitherAlgorithm;
  readonly customAlgorithm: CustomAlgorithm | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly runSource: RunSource;
  readonly position: number | null; // null: where the source of the run leads
}

/** Parses and checks the fields of the scenario. */
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

/** Specifies a simulated run. */
export function specFromScenario(
  { algorithm: name, fields, interventions, position }: PageState,
  customAlgorithm: CustomAlgorithm | null,
): RunSpec {
  const algorithm = customAlgorithm?.algorithm ?? showableAlgorithm(name);
  if (Number(fields.n) > maxProcesses)
    throw new InputError(`the lab draws up to ${maxProcesses} processes; baton simulate runs millions`);
  const runSource = { kind: 'scenario', scenario: { fields, interventions } } as const;
  return { algorithm, customAlgorithm, fields, runSource, position: position ?? 0 };
}

/** Specifies a recorded run. */
export function specFromTrace(
  trace: Trace,
  name: string,
  customAlgorithm: CustomAlgorithm | null,
  position: number | null,
): RunSpec {
  const { algorithm: algorithmName, hand, ...fields } = trace.scenario;
  if (algorithmName === undefined && customAlgorithm === null)
    throw new InputError(`${name} does not name its algorithm: add a line 'algorithm NAME' to its scenario`);
  const algorithm = customAlgorithm?.algorithm ?? showableAlgorithm(algorithmName!);
  return { algorithm, customAlgorithm, fields, runSource: { kind: 'trace', trace }, position };
}
