import { readFileSync } from 'node:fs';

/** Returns how long the main thread of a process has waited for a processor, in milliseconds; 0 where the system does not count it. */
export function processorWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0; // the process has ended, or this is not Linux
  }
}
