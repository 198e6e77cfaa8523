// D. L. Mills: Internet Time Synchronization: The Network Time Protocol. IEEE Transactions on Communications 39(10):1482-1493, 1991.
// The symmetric mode, for peers any of which may be nearer to the root. A message carries the timestamps of the last one from that peer, so
// one each way serves both. Of the peers that do not follow us, the source has the lowest stratum, then the smallest error bound.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atLeast, atMost } from '../../core/bounds.ts';
import { bestSample, clockFilter, errorBound, type Sample, sampleOf } from '../../core/ntp-sample.ts';

type Knows = ['neighbours', 'root', 'drift']; // the root's time is right

const peer = (address: Address) => ({
  address,
  stratum: null as number | null, // null: not synchronised
  followsUs: false,
  samples: [] as readonly Sample[],
  T1: null as number | null, // when it sent its last message to us, by its clock
  T2: 0, // when we received that message
  asked: 0, // how many of its polls we have not answered yet
  isAwaited: false, // we polled it, and it has not answered yet
});

const init = ({ root, neighbours }: Facts<Knows>) => ({
  stratum: root ? 1 : null,
  source: null as Address | null,
  chosen: { offset: 0, delay: 0, at: 0 } as Sample, // the root's time relative to our hardware clock
  peers: neighbours.map(peer),
});

type State = ReturnType<typeof init>;
type Standing = { offset: number; stratum: number | null; distance: number; followsYou: boolean };
type Message = { type: 'active' | 'passive'; T1: number | null; T2: number; T3: number } & Standing;
type P = Process<'clocks', Message, Knows>;

function tell(s: State, p: P, type: Message['type'], to: ReturnType<typeof peer>) {
  const [{ address, T1, T2 }, T3] = [to, p.clock()];
  const distance = p.root ? 0 : errorBound(s.chosen, T3, p.drift) + p.drift * (T3 - T2);
  const followsYou = s.source === address;
  p.send(address, { type, T1, T2, T3, offset: s.chosen.offset, stratum: s.stratum, distance, followsYou });
  if (type === 'active') to.isAwaited = true;
}

/** Chooses the source. If every usable peer follows us, the previous sample stays, and ages. */
function choose(s: State, p: P, now: number) {
  let lowest = Infinity;
  for (const { address, stratum, followsUs, samples } of s.peers) {
    const sample = bestSample(samples, now, p.drift);
    if (sample === null || stratum === null || followsUs || stratum > lowest) continue;
    if (stratum === lowest && errorBound(sample, now, p.drift) >= errorBound(s.chosen, now, p.drift))
      continue;
    lowest = stratum;
    Object.assign(s, { stratum: stratum + 1, source: address, chosen: sample });
  }
}

function hear(s: State, p: P, m: Message, j: Address) {
  const T4 = p.clock();
  const from = s.peers.find(({ address }) => address === j)!;
  Object.assign(from, { stratum: m.stratum, followsUs: m.followsYou, T1: m.T3, T2: T4 });
  if (m.type === 'active') from.asked += 1;
  if (!p.root && m.T1 !== null && m.stratum !== null) {
    const { offset, delay } = sampleOf([m.T1, m.T2 + m.offset, m.T3 + m.offset, T4]);
    from.samples = clockFilter(from.samples, { offset, delay: delay + 2 * m.distance, at: m.T1 }); // the clocks drift apart from T1 on
    choose(s, p, T4);
  }
  if (s.stratum === null) return;
  for (const one of s.peers) for (; one.asked > 0; one.asked -= 1) tell(s, p, 'passive', one);
  if (m.type === 'active' || !from.isAwaited) return;
  from.isAwaited = false;
  if (s.peers.some(({ isAwaited }) => isAwaited)) return;
  p.emit({ type: 'adjust', offset: s.chosen.offset, within: errorBound(s.chosen, T4, p.drift) });
}

/** Mills (1991): NTP in symmetric mode, where peers exchange timestamps; 2 to 2(n-1) messages per synchronisation. */
export const ntpSymmetric: Algorithm<'clocks', State, Message, Knows> = {
  name: 'ntp-symmetric',
  problem: 'clocks',
  paper: 'doi:10.1109/26.103043',
  assumes: { topology: 'connected', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['neighbours', 'root', 'drift'],
  addresses: { values: ['address', 'source'] },
  synchronises: { to: 'root', begins: 'others' },
  bounds: [
    atLeast(['active', 'passive'], '2', 'one each way, with one neighbour', () => 2),
    atMost(['active', 'passive'], '2(n-1)', 'one each way, with all others', ({ n }) => 2 * (n - 1)),
  ],
  init,
  calls: {
    synchronise(s, p) {
      if (!p.root) for (const one of s.peers) tell(s, p, 'active', one);
    },
  },
  on: { active: hear, passive: hear },
};
