// M. Larrea, A. Fernandez, S. Arevalo: Optimal Implementation of the Weakest Failure Detector for Solving Consensus. SRDS 2000, 52-59: the
// failure detector Omega of T. D. Chandra, V. Hadzilacos, S. Toueg (JACM 43(4):685-722, 1996). In the end all processes trust the same living
// one, and only that one sends. Delays have a bound, but no process knows it. A time-out that was too short is doubled; any growth without end will do.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atLeast, nobodyCrashes } from '../../core/bounds.ts';

type Knows = ['me', 'n'];

const period = 10; // between two heartbeats, in units of the local clock; also the first time-out

const init = ({ n }: Facts<Knows>) => ({
  trusted: 0 as Address,
  timeouts: Array<number>(n).fill(period), // Δ, for each process that may be trusted
});

type State = ReturnType<typeof init>;
type Message = { type: 'heartbeat' | 'period' | 'timeout' };
type P = Process<'election', Message, Knows>;

/** Trusts a process: itself, or one before it that must be heard of within its time-out. */
function trust(s: State, p: P, q: Address) {
  s.trusted = q;
  p.emit({ type: 'elected', leader: q });
  p.cancel(q === p.me ? 'timeout' : 'period');
  if (q === p.me) announce(s, p);
  else p.after(s.timeouts[q]!, { type: 'timeout' });
}

/** Only the processes after this one wait for it. Those before it are suspected, or will be heard of. */
function announce(_s: State, p: P) {
  for (let j = p.me + 1; j < p.n; j += 1) p.send(j, { type: 'heartbeat' });
  p.after(period, { type: 'period' });
}

/** Larrea, Fernandez and Arevalo (2000): in the end all trust the first living process by its heartbeats, though no process knows how long a message takes. */
export const omega: Algorithm<'election', State, Message, Knows> = {
  name: 'omega',
  problem: 'election',
  paper: 'doi:10.1109/RELDIS.2000.885392',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'crash', timing: 'bounded' },
  knows: ['me', 'n'],
  addresses: { values: ['trusted'], keys: ['timeouts'] },
  elects: 'smallest',
  timers: ['period', 'timeout'],
  perpetual: true,
  bounds: [
    atLeast(
      ['heartbeat'],
      'n-1',
      'by the rules: the first process begins at once',
      ({ n }) => n - 1,
      nobodyCrashes,
    ),
  ],
  init,

  begin: (s, p) => trust(s, p, 0),
  recover: (s, p) => trust(s, p, 0),
  calls: { start() {} }, // no process has to start it

  on: {
    heartbeat(s, p, _m, j) {
      if (j > s.trusted) return; // j has not heard of the process that is trusted here
      if (j < s.trusted) {
        s.timeouts[j]! *= 2; // j was suspected, but lives
        trust(s, p, j);
      } else p.after(s.timeouts[j]!, { type: 'timeout' });
    },
    period: (s, p) => announce(s, p),
    timeout: (s, p) => trust(s, p, s.trusted + 1),
  },
};
