// D. L. Mills: Internet Time Synchronization: The Network Time Protocol. IEEE Transactions on Communications 39(10):1482-1493, 1991.
// The multicast mode, for fast networks with many clients: no process asks. The root announces its time now and then; a receiver
// adjusts its clock and announces its own time. It assumes that a message took a delay halfway between the shortest and the longest.

import { type Algorithm, type Facts, type Process, tick } from '../../core/algorithm.ts';
import { exactly } from '../../core/bounds.ts';

type Knows = ['parent', 'neighbours', 'minDelay', 'maxDelay', 'drift'];

const init = ({ parent }: Facts<Knows>) => ({
  stratum: parent === null ? 1 : null, // null: not synchronised
});

type State = ReturnType<typeof init>;
type Message = { type: 'time'; time: number; stratum: number; distance: number };
type P = Process<'clocks', Message, Knows>;

function tell(s: State, p: P, time: number, distance: number) {
  for (const j of p.neighbours)
    if (j !== p.parent) p.send(j, { type: 'time', time, stratum: s.stratum!, distance });
}

/** Mills (1991): NTP in multicast mode, where the root announces its time; n-1 messages per synchronisation. */
export const ntpMulticast: Algorithm<'clocks', State, Message, Knows> = {
  name: 'ntp-multicast',
  problem: 'clocks',
  paper: 'doi:10.1109/26.103043',
  assumes: { topology: 'tree', channels: 'unordered', failures: 'none', timing: 'bounded' },
  knows: ['parent', 'neighbours', 'minDelay', 'maxDelay', 'drift'],
  synchronises: { to: 'root', begins: 'root' },
  bounds: [exactly(['time'], 'n-1', 'one to each but the root', ({ n }) => n - 1)],
  init,

  calls: {
    synchronise(s, p) {
      if (p.parent === null) tell(s, p, p.clock(), 0);
    },
  },

  on: {
    time(s, p, { time, stratum, distance }) {
      const now = p.clock();
      const maxDelay = p.maxDelay * tick;
      const offset = time + (p.minDelay + maxDelay) / 2 - now;
      const within = distance + (maxDelay - p.minDelay) / 2 + p.drift * maxDelay;
      s.stratum = stratum + 1;
      p.emit({ type: 'adjust', offset, within });
      tell(s, p, now + offset, within);
    },
  },
};
