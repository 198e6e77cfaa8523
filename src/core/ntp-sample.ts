// D. L. Mills: Internet Time Synchronization: The Network Time Protocol. IEEE Transactions on Communications 39(10):1482-1493, 1991.
// What two readings of each of two clocks say about their distance (TO-06).

/** We ask at T1 and hear the answer at T4, by our clock; the other is asked at T2 and answers at T3, by its own. */
export type FourStamps = readonly [T1: number, T2: number, T3: number, T4: number];

export type Sample = {
  readonly offset: number; // of the other's clock, seen from ours: theta
  readonly delay: number; // on the way, both ways together: delta; the true offset is within theta +- delta/2
  readonly at: number; // by our clock
};

export const sampleOf = ([T1, T2, T3, T4]: FourStamps): Sample => ({
  offset: (T2 - T1 + (T3 - T4)) / 2,
  delay: T4 - T1 - (T3 - T2),
  at: T4,
});

/** The clock filter keeps the last eight. */
export const clockFilter = <S extends Sample>(samples: readonly S[], sample: S): readonly S[] =>
  [...samples, sample].slice(-8);

/** How far from the truth a sample can be, at a later time of our clock, if the clocks part by at most `drift` per unit. */
export const errorBound = ({ delay, at }: Sample, now: number, drift: number): number =>
  delay / 2 + drift * (now - at);

/** The one that promises most now. */
export const bestSample = (samples: readonly Sample[], now: number, drift: number): Sample | null =>
  samples.reduce<Sample | null>(
    (a, b) => (a === null || errorBound(b, now, drift) < errorBound(a, now, drift) ? b : a),
    null,
  );
