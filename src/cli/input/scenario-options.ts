import { existsSync, statSync } from 'node:fs';
import { algorithmInfo, type EitherAlgorithm } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import { fromEdges, shapes } from '../../core/network-shapes.ts';
import type { Scenario, ScenarioFields } from '../../sim/index.ts';
import { readTextFile } from './read-file.ts';

const whatIs = { mutex: 'a lock', election: 'an election', clocks: 'about clocks' } as const;

/** Throws an InputError for options that do not apply to this algorithm. */
export function rejectMisplacedOptions(algorithm: EitherAlgorithm, fields: ScenarioFields): void {
  const { problem, name } = algorithm;
  const { counts, hasRoot } = algorithmInfo(algorithm);
  for (const option of ['entries', 'think', 'hold'] as const) {
    if (problem === 'clocks' && option === 'think') continue;
    if (problem !== 'mutex' && fields[option] !== undefined)
      throw new InputError(`--${option} is for mutual exclusion; ${name} is ${whatIs[problem]}`);
  }
  // For shared memory, the simulator refuses `--root`.
  if (fields.root !== undefined && !hasRoot && counts === 'messages') {
    throw new InputError(`--root means nothing to ${name}: all its processes are alike`);
  }
}

/** Reads the file that `--topology` names, with one edge per line, unless it names a shape. The simulator refuses other values. */
export function withTopologyFile(
  algorithm: EitherAlgorithm,
  scenario: Scenario,
  topology: string | undefined,
): Scenario {
  const isShape = (text: string) => shapes.some((shape) => shape === text) || /^(random|edges):/.test(text);
  if (topology === undefined || isShape(topology) || algorithmInfo(algorithm).shapes.length === 0)
    return scenario;
  if (existsSync(topology) && statSync(topology).isFile()) {
    return { ...scenario, topology: fromEdges(topology, readTextFile(topology).split(/\r?\n/), scenario.n) };
  }
  if (/[./]/.test(topology)) throw new InputError(`there is no file ${topology} to read edges from`);
  return scenario; // the simulator refuses it and lists the shapes
}
