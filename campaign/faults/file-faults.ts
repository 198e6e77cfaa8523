// Faults of the files by which the members of one machine find each other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../group-files.ts';
import { victim } from './process-faults.ts';
import type { Faults, Round, Surroundings } from './surroundings.ts';

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Whether nobody can know who is in the group without this file. */
const isState = ({ kind }: Entry) => /view|lease/.test(kind);

export function fileFaults(round: Round, around: Surroundings): Faults {
  const { history, processes, members, leaseMs } = around;
  const files = around.files!;
  const { random } = round;
  let lostAt = -Infinity; // views or leases were lost, or all members were killed

  // The mark must survive the loss of everything else, and everything else the loss of the mark.
  const isOther = (entry: Entry) => !isState(entry) && (!entry.isMark || now() > lostAt + 2 * leaseMs);
  const losesState = (lose: () => void) => {
    lostAt = now();
    if (files.isMarkLost) history.excuse({ from: lostAt, to: lostAt + 2 * leaseMs });
    lose();
  };
  const sweep = () => {
    const ways = [() => files.sweepGroup(), () => files.sweepRoot(), () => files.sweepOld(random.below(20))];
    ways[random.below(ways.length)]!();
  };
  const killAll = async (meanwhile: () => void) => {
    if (files.isMarkLost) return;
    lostAt = now();
    processes.killAll();
    await sleep(random.below(0.5 * leaseMs));
    if (round.isOver) return;
    meanwhile();
    for (let i = 0; i < members; i += 1) processes.start(i);
  };
  const keepFull = async () => {
    const byInodes = random.chance(0.3);
    for (const until = now() + round.lasts(1.4); now() < until && !round.isOver; await sleep(20))
      files.fill(byInodes);
    if (!round.isOver) files.makeRoom();
  };
  const churn = async () => {
    for (let left = 4 + random.below(6); left > 0 && !round.isOver; left -= 1) {
      const afterMs = 100 + random.below(2000);
      const isKilled = random.chance(0.5);
      processes.startVisitor((i) =>
        setTimeout(() => (isKilled ? processes.kill(i) : processes.leave(i)), afterMs),
      );
      await sleep(random.below(100));
    }
  };

  const pauseWithoutSocket = async () =>
    processes.startVisitor((visitor) => {
      setTimeout(() => processes.kill(visitor), 2 * leaseMs);
      if (round.isOver) return;
      const i = victim(round, around);
      const begin = () => {
        processes.pause(i);
        files.remove(random, ({ kind }) => kind.endsWith('.sock'));
      };
      void round.during(begin, () => processes.goOn(i), round.lasts(0.6));
    });

  return {
    sweep: async () => {
      if (!files.isMarkLost) losesState(sweep);
    },
    'views and leases removed': async () => losesState(() => files.remove(random, isState)),
    'views and leases damaged': async () => losesState(() => files.damage(random, isState)),
    'other files removed': async () => files.remove(random, isOther),
    'other files damaged': async () => files.damage(random, isOther),
    ...(files.hasModes
      ? {
          'wrong mode': () =>
            round.during(
              () => losesState(() => files.spoilMode(random)), // it may be a view that nobody can read
              () => files.restore(),
              round.lasts(1.4),
            ),
        }
      : {}),
    ...(files.hasDisk ? { 'full disk': keepFull } : {}),
    churn,
    'pause without a socket': pauseWithoutSocket,
    'all killed': () => killAll(() => {}),
    'all killed and swept': () => killAll(sweep),
  };
}
