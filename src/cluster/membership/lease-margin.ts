// Fractions of `leaseMs`. A lease ends at its holder before it ends at the engine: the difference is the margin for clocks that run at
// different rates. The rest is time for other members to notice that the lease has expired.
export const localLeaseFraction = 0.7;
export const engineLeaseFraction = 0.8;
