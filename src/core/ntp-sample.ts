// D. L. Mills: Internet Time Synchronization: The Network Time Protocol. IEEE Transactions on Communications 39(10):1482-1493, 1991.
// The offset of two clocks, estimated from two readings of each (TO-06).

/** We send a request at T1 and receive the answer at T4, by our clock. The other receives it at T2 and answers at T3, by its own. */
export type FourStamps = readonly [T1: number, T2: number, T3: number, T4: number];

export type Sample = {
  readonly offset: number; // theta: of the other's clock, relative to ours
  readonly delay: number; // delta: of both messages together; the true offset is within theta +- delta/2
  readonly at: number; // by our clock
};

export const sampleOf = ([T1, T2, T3, T4]: FourStamps): Sample => ({
  offset: (T2 - T1 + (T3 - T4)) / 2,
  delay: T4 - T1 - (T3 - T2),
  at: T4,
});

/** The clock filter keeps the last eight samples. */
export const clockFilter = <S extends Sample>(samples: readonly S[], sample: S): readonly S[] =>
  [...samples, sample].slice(-8);

/** The largest error of a sample at a later time of our clock, if the clocks drift apart by at most `drift` per unit. */
export const errorBound = ({ delay, at }: Sample, now: number, drift: number): number =>
  delay / 2 + drift * (now - at);

/** The sample with the smallest error bound now. */
export const bestSample = (samples: readonly Sample[], now: number, drift: number): Sample | null =>
  samples.reduce<Sample | null>(
    (a, b) => (a === null || errorBound(b, now, drift) < errorBound(a, now, drift) ? b : a),
    null,
  );
