import { isShared } from '../core/shared.ts';
import type { Declared } from './declared.ts';
import type { Setting } from './facts.ts';
import type { Machine, Sink } from './machine.ts';
import { MemoryMachine } from './memory.ts';
import { MessageMachine } from './messages.ts';

export { type Breach, breachOf } from './breach.ts';
export {
  countedIn,
  type Declared,
  declared,
  type EitherAlgorithm,
  isCeaseless,
  isMeaningful,
  mediumOf,
  mostProcesses,
  refuseMeaningless,
  registersFor,
} from './declared.ts';
export { addressing, type Setting } from './facts.ts';
export { Guest } from './guest.ts';
export { type Accessed, type InFlight, type Input, type Machine, noSink, type Sink } from './machine.ts';
export { type LineState, MemoryMachine } from './memory.ts';
export { MessageMachine } from './messages.ts';
export { Overlay } from './overlay.ts';
export { checkState } from './rules.ts';

/** The machine that runs an algorithm, of whichever contract it is. */
export const machineOf = (
  algorithm: Declared,
  setting: Setting & { readonly n: number },
  sink?: Sink,
): Machine =>
  isShared(algorithm)
    ? new MemoryMachine(algorithm, setting, sink)
    : new MessageMachine(algorithm, setting, sink);
