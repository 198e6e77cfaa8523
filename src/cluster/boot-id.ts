import { readFileSync } from 'node:fs';

/**
 * What differs from one start of the machine to the next: processes and leases of another one are over. Where the system does not
 * say, sockets that refuse do.
 */
export const bootId: string = (() => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
})();
