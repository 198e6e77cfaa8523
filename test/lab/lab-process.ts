import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const groupsIn = (directory: string): string => join(directory, 'groups');

/** A running `baton lab`, with the address and token that it printed. */
export interface LabProcess {
  readonly server: ChildProcess;
  readonly address: URL; // with the token, as printed
  readonly token: string;
}

/** Starts `baton lab` with this temporary directory; its groups are in a subfolder. */
export async function startLabProcess(directory: string): Promise<LabProcess> {
  const server = spawn(process.execPath, ['packages/batonjs/dist/cli.cjs', 'lab', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: directory, BATON_DIR: groupsIn(directory) },
  });
  const [line] = await once(server.stdout!, 'data');
  const address = new URL(/http:\S+/.exec(`${line}`)![0]);
  return { server, address, token: address.hash.replace('#token=', '') };
}

/** Waits until the condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
