// D. S. Hirschberg, J. B. Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors.
// CACM 23(11):627-628, 1980, in the form of Raynal, chapter 2, section 5.3, corrected: a candidate loses on an unfavourable
// response (printed: on a favourable one). The winner ends the election when both copies of its candidature are back (printed:
// the first). A run elects once, so no process returns to not_involved.

import { type Address, type Algorithm, left, type Process, right } from '../../core/algorithm.ts';
import { allStart, atLeast, atMost, electionTime, exactly, logCeil } from '../../core/bounds.ts';

const init = () => ({
  state: 'not_involved' as 'not_involved' | 'candidate' | 'lost' | 'elected',
  lgmax: 1,
  nbresp: 0,
  respOK: true,
  nbback: 0, // copies of our candidature that went all the way round
  winner: null as number | null,
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'candidature'; number: number; lg: number; lgmax: number }
  | { type: 'response'; bool: boolean; number: number }
  | { type: 'ended'; number: number };
type P = Process<'election', Message, ['id']>;

const otherSide = (side: Address): Address => (side === left ? right : left);

function initiateElection(s: State, p: P) {
  s.state = 'candidate';
  launch(s, p);
}

function launch(s: State, p: P) {
  s.nbresp = 0;
  s.respOK = true;
  const candidature: Message = { type: 'candidature', number: p.id, lg: 0, lgmax: s.lgmax };
  p.send(left, candidature);
  p.send(right, candidature);
}

const counted = ['candidature', 'response'] as const;
const alone = 'by the rules: the largest alone, unanswered in its last round';
const rounds = 'by the rules: 2^k there and 2^k back, and a lap';
const winnersTime = ({ n, T }: { n: number; T: number }) => (2 * (2 ** logCeil(n) - 1) + n) * T;

/** Hirschberg and Sinclair (1980): each round goes twice as far, both ways; at most 8n(1 + ceil(log n)) messages, and n of a closing lap. */
export const hirschbergSinclair: Algorithm<'election', State, Message, ['id']> = {
  name: 'hirschberg-sinclair',
  problem: 'election',
  paper: 'doi:10.1145/359024.359029',
  assumes: { topology: 'two-way ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    atLeast(counted, '4(2^ceil(log n) - 1) + 2n', alone, ({ n }) => 4 * (2 ** logCeil(n) - 1) + 2 * n),
    atMost(
      counted,
      '8n(1 + ceil(log n))',
      'Raynal, chapter 2, section 5.3',
      ({ n }) => 8 * n * (1 + logCeil(n)),
    ),
    exactly(['ended'], 'n', 'closing lap', ({ n }) => n),
    electionTime.atLeast('(2(2^ceil(log n) - 1) + n)T', rounds, winnersTime),
    electionTime.atMost('(2(2^ceil(log n) - 1) + n)T', rounds, winnersTime, allStart),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'not_involved') initiateElection(s, p);
    },
  },

  on: {
    candidature(s, p, { number, lg, lgmax }, side) {
      if (number < p.id) {
        p.send(side, { type: 'response', bool: false, number });
        if (s.state === 'not_involved') initiateElection(s, p);
      } else if (number > p.id) {
        s.state = 'lost';
        if (lg + 1 < lgmax) p.send(otherSide(side), { type: 'candidature', number, lg: lg + 1, lgmax });
        else p.send(side, { type: 'response', bool: true, number });
      } else {
        s.state = 'elected';
        s.nbback += 1;
        if (s.nbback < 2) return;
        s.winner = p.id;
        p.emit({ type: 'elected', leader: p.id });
        p.send(otherSide(side), { type: 'ended', number });
      }
    },
    response(s, p, m, side) {
      if (m.number !== p.id) {
        p.send(otherSide(side), m);
        return;
      }
      s.nbresp += 1;
      s.respOK = s.respOK && m.bool;
      if (s.nbresp < 2 || s.state !== 'candidate') return;
      if (s.respOK) {
        s.lgmax *= 2;
        launch(s, p);
      } else s.state = 'lost';
    },
    ended(s, p, m, side) {
      if (m.number === p.id) return;
      s.winner = m.number;
      p.emit({ type: 'elected', leader: m.number });
      p.send(otherSide(side), m);
    },
  },

  invariants: {
    'who has heard the end hears no more of the winner': ({ states, inFlight }) =>
      inFlight.every(
        ({ to, message }) => message.type !== 'candidature' || message.number !== states[to]!.winner,
      ),
  },
};
