// What the host keeps for one process besides its variables: timers, the phase of its clock, the length of its causal past and, on causal
// channels, what it knows of.
import type { Message } from '../../core/algorithm.ts';
import type { TimerChange } from './execute.ts';

interface ArmedTimer {
  readonly message: Message;
  readonly left: number; // ticks; 0 without timing assumptions
}

export interface TimerState {
  readonly armed: readonly ArmedTimer[]; // in the order of the algorithm's timers
  readonly phase: number; // ticks since the last tick of the local clock
  readonly chain: number; // messages of the longest causal chain that ends here; 0 where no bound on chains is checked
  readonly known: readonly number[] | null; // messages in flight in its causal past, by channel
}

interface TickRules {
  readonly timed: boolean;
  readonly unit: number; // of the local clock
  readonly types: readonly string[];
}

/** Applies the timer changes of one handler execution. */
export function setTimers(
  timers: TimerState,
  changes: readonly TimerChange[],
  { timed, unit, types }: TickRules,
): TimerState {
  if (changes.length === 0) return timers;
  const armed = new Map(timers.armed.map((timer) => [timer.message.type, timer]));
  for (const change of changes) {
    const type = change.ticks === null ? change.type : change.message.type;
    armed.delete(type);
    if (change.ticks === null || change.ticks === Infinity) continue;
    armed.set(type, { message: change.message, left: timed ? change.ticks * unit - timers.phase : 0 });
  }
  return { ...timers, armed: types.flatMap((type) => armed.get(type) ?? []) };
}

/** Returns the timers that may fire now. With timing assumptions that is the first of those due. */
export const firing = ({ armed }: TimerState, timed: boolean): readonly ArmedTimer[] =>
  timed ? armed.filter(({ left }) => left === 0).slice(0, 1) : armed;

/** Returns the timers one tick later; null if one must fire first. */
export function afterTick(timers: TimerState, unit: number): TimerState | null {
  if (timers.armed.some(({ left }) => left === 0)) return null;
  const armed = timers.armed.map((timer) => ({ ...timer, left: timer.left - 1 }));
  return { ...timers, armed, phase: (timers.phase + 1) % unit };
}
