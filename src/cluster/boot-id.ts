import { readFileSync } from 'node:fs';

/**
 * Identifies one boot of the machine: processes and leases of earlier boots have ended. 'unknown' where the system has no such id;
 * sockets that refuse connections then show that a process is dead.
 */
export const bootId: string = (() => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
})();
