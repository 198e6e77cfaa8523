// The processor time of processes and their descendants: the figure that a busy machine disturbs least.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100; // the unit of /proc, on every Linux that Node runs on

interface Used {
  readonly parent: number;
  readonly ticks: number;
}

function allProcesses(): Map<number, Used> {
  const found = new Map<number, Used>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // from the third field on
      found.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // the process has ended meanwhile
    }
  }
  return found;
}

/** Returns the processor seconds used so far. */
export function processorTime(pids: readonly number[]): number {
  const all = allProcesses();
  const isOurs = (pid: number): boolean =>
    pids.includes(pid) || (all.has(pid) && isOurs(all.get(pid)!.parent));
  let ticks = 0;
  for (const [pid, used] of all) if (isOurs(pid)) ticks += used.ticks;
  return ticks / ticksPerSecond;
}
