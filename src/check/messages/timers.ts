// What one process keeps of time and order besides its state: its timers, its clock and, on causal channels, what it knows of.
import type { Message } from '../../core/algorithm.ts';
import type { TimerChange } from './execute.ts';

interface ArmedTimer {
  readonly message: Message;
  readonly left: number; // ticks; 0 where time does not count
}

export interface TimerState {
  readonly armed: readonly ArmedTimer[]; // in the order of the algorithm's timers
  readonly phase: number; // ticks since the last tick of the local clock
  readonly known: readonly number[] | null; // messages on their way in its causal past, by channel
}

interface TickRules {
  readonly timed: boolean;
  readonly unit: number; // of the local clock
  readonly types: readonly string[];
}

export function setTimers(
  clock: TimerState,
  changes: readonly TimerChange[],
  { timed, unit, types }: TickRules,
): TimerState {
  if (changes.length === 0) return clock;
  const armed = new Map(clock.armed.map((timer) => [timer.message.type, timer]));
  for (const change of changes) {
    const type = change.ticks === null ? change.type : change.message.type;
    armed.delete(type);
    if (change.ticks === null || change.ticks === Infinity) continue;
    armed.set(type, { message: change.message, left: timed ? change.ticks * unit - clock.phase : 0 });
  }
  return { ...clock, armed: types.flatMap((type) => armed.get(type) ?? []) };
}

/** The timers that may end now: where time counts, of those due the first named. */
export const firing = ({ armed }: TimerState, timed: boolean): readonly ArmedTimer[] =>
  timed ? armed.filter(({ left }) => left === 0).slice(0, 1) : armed;

/** One tick later; null if something must happen before. */
export function afterTick(clock: TimerState, unit: number): TimerState | null {
  if (clock.armed.some(({ left }) => left === 0)) return null;
  const armed = clock.armed.map((timer) => ({ ...timer, left: timer.left - 1 }));
  return { ...clock, armed, phase: (clock.phase + 1) % unit };
}
