// M. Maekawa: A sqrt(N) Algorithm for Mutual Exclusion in Decentralized Systems. ACM TOCS 3(2):145-159, 1985, as corrected
// by B. A. Sanders (ACM TOCS 5(3), 1987): a request overtaken in a queue also gets FAILED. It would keep votes that others need.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atMost, heavyLoad, noBypassBound, synchronisationDelay } from '../../core/bounds.ts';
import { gridQuorum } from '../../core/quorum.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n'];
type Stamp = { readonly t: number; readonly i: Address };
const init = ({ me, n }: Facts<Knows>) => ({
  clock: 0,
  quorum: gridQuorum(me, n), // ourselves included
  votes: [] as Address[], // votes for us; with those of the whole quorum we are inside
  failedAt: [] as Address[], // arbiters that voted for another process
  inquirers: [] as Address[], // arbiters that want their vote back if we fail elsewhere
  locked: null as Stamp | null, // as an arbiter: the request we voted for,
  waiting: [] as Stamp[], // the waiting requests, in order,
  inquired: false, // and whether we asked for our vote back
});
type State = ReturnType<typeof init>;
type Answer = 'locked' | 'failed' | 'inquire' | 'relinquish' | 'release'; // a process answers itself without a message
type Message = { type: 'request'; t: number } | { type: Answer };
type P = Process<'mutex', Message, Knows>;
const inOrder = (a: Stamp, b: Stamp) => a.t - b.t || a.i - b.i;

function tell(s: State, p: P, j: Address, type: Answer) {
  if (j !== p.me) p.send(j, { type });
  else (maekawa.on[type] as (s: State, p: P, m: Message, j: Address) => void)(s, p, { type }, j);
}

function voteForNext(s: State, p: P) {
  s.locked = s.waiting.shift() ?? null;
  s.inquired = false;
  if (s.locked !== null) tell(s, p, s.locked.i, 'locked');
}

function relinquish(s: State, p: P, j: Address) {
  s.votes = s.votes.filter((k) => k !== j);
  s.failedAt.push(j);
  tell(s, p, j, 'relinquish');
}

// Over all entries: a request causes one FAILED and one INQUIRE at each of the K-1 others. No quorum is larger than that of 0.
const once = ['request', 'release', 'failed', 'inquire', 'relinquish'] as const;
const K1 = ({ n }: { n: number }) => gridQuorum(0, n).length - 1;

/** Maekawa (1985): votes of a quorum, a row and a column of a grid, K is about 2 sqrt(n) - 1; at most 7(K-1) messages per entry, over all entries. */
export const maekawa: Algorithm<'mutex', State, Message, Knows> = {
  name: 'maekawa',
  problem: 'mutex',
  paper: 'doi:10.1145/214438.214445',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n'],
  messages: { request: { t: 'count' }, locked: {}, failed: {}, inquire: {}, relinquish: {}, release: {} },
  addresses: { values: ['quorum', 'votes', 'failedAt', 'inquirers', 'i'] },
  bounds: [
    ...once.map((kind) => atMost([kind], 'K-1', 'by the rules', K1)),
    atMost(['locked'], '2(K-1)', 'by the rules', (c) => 2 * K1(c)),
    synchronisationDelay.atMost('2T', 'release, vote', ({ T }) => 2 * T, heavyLoad),
  ],
  bypass: [noBypassBound('who has a slow clock makes the older requests until it has caught up')],
  init,

  calls: {
    request(s, p) {
      s.clock += 1;
      for (const j of s.quorum) if (j !== p.me) p.send(j, { type: 'request', t: s.clock });
      maekawa.on.request(s, p, { type: 'request', t: s.clock }, p.me);
    },
    release(s, p) {
      s.votes = [];
      for (const j of s.quorum) tell(s, p, j, 'release');
    },
  },

  on: {
    request(s, p, { t }, i) {
      s.clock = Math.max(s.clock, t);
      const overtaken = s.waiting[0];
      s.waiting = [...s.waiting, { t, i }].sort(inOrder);
      if (s.locked === null) return voteForNext(s, p);
      if (s.waiting[0]!.i !== i || inOrder(s.locked, s.waiting[0]!) < 0) return tell(s, p, i, 'failed');
      if (overtaken !== undefined && inOrder(overtaken, s.locked) < 0) tell(s, p, overtaken.i, 'failed');
      if (s.inquired) return;
      s.inquired = true; // before we send it: the receiver may be ourselves, and answer at once
      tell(s, p, s.locked.i, 'inquire');
    },
    locked(s, p, _m, j) {
      s.votes.push(j);
      s.failedAt = s.failedAt.filter((k) => k !== j);
      if (s.votes.length < s.quorum.length) return;
      s.inquirers = [];
      p.emit({ type: 'entered' });
    },
    failed(s, p, _m, j) {
      s.failedAt.push(j);
      for (const k of s.inquirers.splice(0)) relinquish(s, p, k);
    },
    inquire(s, p, _m, j) {
      if (!s.votes.includes(j) || s.votes.length === s.quorum.length) return; // our release answers it, or already did
      if (s.failedAt.length > 0) relinquish(s, p, j);
      else s.inquirers.push(j);
    },
    relinquish(s, p) {
      s.waiting = [...s.waiting, s.locked!].sort(inOrder);
      voteForNext(s, p);
    },
    release: (s, p) => voteForNext(s, p),
  },

  invariants: {
    'a vote is in one place': (w) =>
      w.states.every(({ locked }, j) => {
        const back = countInFlight(w, 'relinquish', { to: j }) + countInFlight(w, 'release', { to: j });
        const places = w.states.filter(({ votes }) => votes.includes(j)).length + back;
        return places + countInFlight(w, 'locked', { from: j }) === Number(locked !== null);
      }),
  },
};
