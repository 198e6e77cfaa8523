// Faults of the engine: killed, and restarted on its data, on its first data, or on a backup.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../bench/servers.ts';
import type { Faults, Round, Surroundings } from './surroundings.ts';

const backups = ['-at-first', '-later'] as const;
type Backup = (typeof backups)[number];

const now = () => Number(process.hrtime.bigint()) / 1e6;

export function engineFaults(round: Round, { network, history, leaseMs }: Surroundings): Faults {
  const { server } = network!;
  let isBusy = false; // being killed or restored
  const restart = async (meanwhile: () => void, forgets: boolean) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const from = now();
      await server.kill();
      meanwhile();
      await sleep(round.random.below(leaseMs));
      await server.again();
      if (forgets) history.excuse({ from, to: now() + 2 * leaseMs });
    } finally {
      isBusy = false;
    }
  };
  const restarts = (meanwhile: () => void, forgets = false) => round.completes(restart(meanwhile, forgets));
  return {
    'engine killed': () => restarts(() => {}),
    'engine wiped': () => restarts(() => restore(server, '-at-first'), true),
    'engine restored': () =>
      existsSync(`${server.folder}-later`)
        ? restarts(() => restore(server, '-later'), true)
        : restarts(() => backUp(server, '-later')), // for a later restore
  };
}

/** Takes the backup that `engine wiped` restores. */
export async function backUpAtFirst(server: Database): Promise<void> {
  removeBackups(server);
  await server.kill();
  backUp(server, '-at-first');
  await server.again();
}

export function removeBackups({ folder }: Database): void {
  for (const backup of backups) rmSync(folder + backup, { recursive: true, force: true });
}

function backUp({ folder }: Database, which: Backup): void {
  execFileSync('cp', ['-a', folder, folder + which]);
}

function restore({ folder }: Database, which: Backup): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  execFileSync('cp', ['-a', `${folder + which}/.`, folder]);
}
