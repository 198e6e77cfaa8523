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

/** The machine that runs an algorithm of either contract. */
export const machineOf = (
  algorithm: DeclaredAlgorithm,
  setting: Setting & { readonly n: number },
  sink?: Sink,
): Machine =>
  isShared(algorithm)
    ? new MemoryMachine(algorithm, setting, sink)
    : new MessageMachine(algorithm, setting, sink);
