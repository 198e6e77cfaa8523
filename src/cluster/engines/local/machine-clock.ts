// The monotonic clock that all processes of a machine share. Leases in files are compared by it.
import { bootId } from '../../boot-id.ts';
import { BatonError } from '../../errors.ts';
import { otherRuntime } from '../../runtime.ts';

const monotonic = 1; // the number of CLOCK_MONOTONIC on Linux

/** Opens a library of the system: `bun:ffi`, or `Deno`. */
interface LibraryLoader {
  dlopen(
    path: string,
    functions: Readonly<Record<string, unknown>>,
  ): { readonly symbols: { clock_gettime(clock: number, time: BigInt64Array): number } };
}

/** In nanoseconds. */
export const machineNs: () => bigint = otherRuntime === null ? process.hrtime.bigint : systemClock();

/** In milliseconds. */
export const machineMs = (): number => Number(machineNs() / 1_000_000n);

/** A lease that ends later than this from now was not written by a member. */
export const longestLeaseMs = 2 ** 31;

/** In Bun and Deno `process.hrtime` begins at zero in each process. Node reads this clock of the system. */
function systemClock(): () => bigint {
  const time = new BigInt64Array(2); // seconds and nanoseconds
  let read: ((clock: number, time: BigInt64Array) => number) | null = null;
  return () => {
    read ??= openClock();
    read(monotonic, time);
    return time[0]! * 1_000_000_000n + time[1]!;
  };
}

function openClock(): (clock: number, time: BigInt64Array) => number {
  try {
    if (bootId === 'unknown') throw new Error('the id of the boot cannot be read');
    const { Deno } = globalThis as { Deno?: LibraryLoader };
    const loader = Deno ?? (process.getBuiltinModule('bun:ffi') as unknown as LibraryLoader);
    const types =
      otherRuntime === 'Deno'
        ? { parameters: ['i32', 'buffer'], result: 'i32' }
        : { args: ['i32', 'ptr'], returns: 'i32' };
    return loader.dlopen('libc.so.6', { clock_gettime: types }).symbols.clock_gettime;
  } catch (cause) {
    const remedy = otherRuntime === 'Deno' ? 'run it with --allow-all, ' : '';
    throw new BatonError(
      'input',
      `${otherRuntime} cannot read the clock of this machine, by which leases of a group of one machine end: ${remedy}use Linux with glibc, or name an engine`,
      { cause },
    );
  }
}
