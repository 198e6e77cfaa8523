/** A monotonic clock that all processes of a machine share, in milliseconds. */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** A lease that ends later than this from now was not written by a member. */
export const longestLeaseMs = 2 ** 31;
