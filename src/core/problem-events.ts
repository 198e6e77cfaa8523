// The problems that algorithms solve, as their applications see them.

/** The calls an application makes and the events it receives, for each problem. */
export interface Problems {
  /**
   * Mutual exclusion: the application requests the critical section, enters it and releases it. `suspects` means that the process on which
   * the request depends seems to have crashed: the application may do something about it.
   */
  mutex: { call: 'request' | 'release'; event: { readonly type: 'entered' } | { readonly type: 'suspects' } };
  /**
   * Leader election. Anonymous processes can name the leader only as `me` or `another`. An algorithm that elects more than once numbers its
   * elections: `electing` means that the process takes part in that round, and follows nobody until it is `elected`.
   */
  election: {
    call: 'start';
    event:
      | {
          readonly type: 'elected';
          readonly leader: number | 'me' | 'another';
          /** The round that elected the leader. Absent if the algorithm elects once. */
          readonly round?: number;
        }
      | { readonly type: 'electing'; readonly round: number };
  };
  /**
   * The application shows a clock, and corrects it gradually. `adjust` means: show the hardware clock plus `offset`; that is at most
   * `within` from the source now. Without a source, two clocks of the same `round` differ by at most the sum of both `within`.
   */
  clocks: {
    call: 'synchronise';
    event: {
      readonly type: 'adjust';
      readonly offset: number;
      readonly within: number;
      /** The round of a synchronisation without a source. */
      readonly round?: string;
    };
  };
}

/** The name of a problem. */
export type Problem = keyof Problems;
