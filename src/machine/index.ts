import { isShared } from '../core/shared-algorithm.ts';
import type { DeclaredAlgorithm } from './declarations.ts';
import type { Setting } from './facts.ts';
import type { Machine, Sink } from './machine.ts';
import { MemoryMachine } from './memory-machine.ts';
import { MessageMachine } from './message-machine.ts';

export { checkState } from './contract-rules.ts';
export {
  countedIn,
  type DeclaredAlgorithm,
  declared,
  type EitherAlgorithm,
  isCeaseless,
  isMeaningful,
  mediumOf,
  mostProcesses,
  refuseMeaningless,
  registersFor,
} from './declarations.ts';
export { addressing, type Setting } from './facts.ts';
export {
  type InFlight,
  type Input,
  type Machine,
  noSink,
  type RegisterAccess,
  type Sink,
} from './machine.ts';
export { type LineState, MemoryMachine } from './memory-machine.ts';
export { MessageMachine } from './message-machine.ts';
export { Overlay } from './overlay.ts';
export { RestrictedProcess } from './restricted-process.ts';
export { type StepFailure, stepFailure } from './step-failure.ts';

/**
 * Returns the machine that runs an algorithm of either contract. `prepare` of `batonjs-lab/sim` makes a setting.
 * @param sink carries out the actions of handlers. Defaults to {@link noSink}.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { machineOf, noSink } from 'batonjs/machine';
 * import { prepare } from 'batonjs-lab/sim';
 *
 * const setup = prepare(raymond, { n: 3, topology: 'line' });
 * const sent: string[] = [];
 * const machine = machineOf(setup.algorithm, setup, { ...noSink, send: (to, _, { type }) => sent.push(`${type} to ${to}`) });
 * machine.step(2, machine.init(2), { kind: 'call', name: 'request' });
 * sent; // → ['request to 1']
 */
export const machineOf = (
  algorithm: DeclaredAlgorithm,
  setting: Setting & { readonly n: number },
  sink?: Sink,
): Machine =>
  isShared(algorithm)
    ? new MemoryMachine(algorithm, setting, sink)
    : new MessageMachine(algorithm, setting, sink);
