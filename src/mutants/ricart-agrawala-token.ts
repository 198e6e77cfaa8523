import { ricartAgrawalaToken } from '../algorithms/mutex/ricart-agrawala-token.ts';
import type { Mutant } from './mutant.ts';

const { calls, on } = ricartAgrawalaToken;

export const ricartAgrawalaTokenGap: Mutant = {
  ...ricartAgrawalaToken,
  name: 'ricart-agrawala-token-gap',
  of: 'ricart-agrawala-token',
  lie: 'a token that arrives is present one step before it is held, and requests are handled in between (ER-07, as printed in Raynal, 3.4)',
  failingRun: { n: '2', hold: 'fixed:20', seed: '26', entries: '2' },
  timers: ['held'],
  messages: { ...ricartAgrawalaToken.messages, held: {} },
  calls: {
    ...calls,
    release(s, p) {
      s.tokenHeld = false;
      if (s.token !== null) calls.release(s, p);
    },
  },
  on: {
    ...on,
    access(s, p, { token }) {
      s.token = [...token];
      p.after(1, { type: 'held' });
    },
    held(s, p) {
      s.tokenHeld = true;
      p.emit({ type: 'entered' });
    },
  },
};

export const ricartAgrawalaTokenLateTick: Mutant = {
  ...ricartAgrawalaToken,
  name: 'ricart-agrawala-token-late-tick',
  of: 'ricart-agrawala-token',
  lie: 'the stamp of a request is taken before the clock ticks, so the first is not larger than the entry of the token (ER-37, as printed in lecture slides)',
  calls: {
    ...calls,
    request(s, p) {
      s.clock -= 1;
      calls.request(s, p);
      s.clock += 1;
    },
  },
};

export const ricartAgrawalaTokenWrongEntry: Mutant = {
  ...ricartAgrawalaToken,
  name: 'ricart-agrawala-token-wrong-entry',
  of: 'ricart-agrawala-token',
  lie: "the scan compares the request of P_l with the holder's own entry of the token (ER-06, as printed in Raynal, 3.3)",
  calls: { ...calls, release: (s, p) => wrongly(s, () => calls.release(s, p)) },
  on: { ...on, request: (s, p, m, j) => wrongly(s, () => on.request(s, p, m, j)) },
};

/** Calls `run` with every entry of the token replaced by our own, and restores the entries if the token stays. */
const wrongly = (s: Parameters<Mutant['calls'][string]>[0], run: () => void): void => {
  const { token } = s;
  const replaced = token?.map(() => s.clock) ?? null;
  s.token = replaced;
  run();
  if (s.token === replaced) s.token = token;
};
