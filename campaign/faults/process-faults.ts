// Faults of the members themselves.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults, Round, Surroundings } from './surroundings.ts';

export function processFaults(round: Round, around: Surroundings): Faults {
  const { processes, clocks, members, leaseMs } = around;
  const { random } = round;
  const restart = async (stop: () => void, i: number) => {
    stop();
    await sleep(random.below(1.5 * leaseMs));
    if (!round.isOver) processes.start(i);
  };
  return {
    kill: () => {
      const i = victim(round, around);
      return restart(() => processes.kill(i), i);
    },
    'join and leave': () => {
      const i = random.below(members);
      return restart(() => processes.leave(i), i);
    },
    pause: () => {
      const i = victim(round, around);
      return round.during(
        () => processes.pause(i),
        () => processes.goOn(i),
      );
    },
    'blocked loop': () => {
      const ms = round.lasts();
      processes.block(victim(round, around), ms);
      return round.completes(sleep(ms));
    },
    ...(clocks === null
      ? {}
      : { 'clock stepped': async () => clocks.set(random.below(members), random.below(60) - 30) }),
  };
}

/** Returns a member, mostly one that holds a lock. */
export function victim({ random }: Round, { processes: { inside }, members }: Surroundings): number {
  return inside.length > 0 && random.chance(0.6)
    ? inside[random.below(inside.length)]!
    : random.below(members);
}
