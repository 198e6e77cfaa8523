// Recovery from crashes and lost tokens, by composition: a lock that tolerates no failure, and an election that does.
// M. Raynal, chapter 2 (sections 3.6, 4.1, 5.1) and G. Le Lann (1977) name the steps; the rules are ours.
//
// The lock runs in epochs, each over the living processes.
// 1. A process that has waited too long calls an election; so does one whose lock suspects a crash, at once.
// 2. The elected process, and no other, asks every process whether it is inside.
// 3. A process stops its run of the lock when it answers. That ends every token of the epoch.
// 4. Once no living process is inside, the elected process installs a new epoch: a fresh run over the processes that answered.
//    It is the coordinator or first token holder, and every waiting process requests again.
// So a ring closes around a dead process, and opens for one that restarts.
//
// A process that does not answer within two longest delays is considered dead. If it was only late, and inside, two will be inside.
// A restarted process has forgotten its ballots and might use one again. So it first ignores all messages for four longest delays.
// By then, what it sent before the crash is older than any round of questions it can take part in: such a round takes two delays,
// and messages in flight take two more.

import type {
  Address,
  Algorithm,
  AnyAlgorithm,
  Message as AnyMessage,
  Facts,
  Pid,
  Plain,
  Process,
} from '../core/algorithm.ts';
import type { Input } from '../machine/index.ts';
import {
  allProcesses,
  callInput,
  compositionDeclarations,
  InnerAlgorithm,
  type InnerGroup,
  messageInput,
  type PlainMessage,
  type PrefixedTimer,
  recoveryInput,
} from './inner-algorithm.ts';

type Knows = ['me', 'n', 'neighbours', 'parent', 'maxDelay'];

/** A multiple of n plus the Pid of its maker, so that no two processes make the same one; 0 is the first epoch. */
type Ballot = number;

type State = {
  phase: 'idle' | 'waiting' | 'inside';
  deaf: boolean; // restarted, and still ignores messages
  patience: number; // how long a request waits before an election; doubles each time
  epoch: Ballot;
  members: readonly Pid[];
  root: Pid;
  lock: Plain; // its run in this epoch; null if stopped
  early: { epoch: Ballot; from: Pid; as: Address; message: PlainMessage }[]; // messages of an epoch not yet installed here
  toMyself: State['early']; // messages to itself, alone on a ring
  election: Plain;
  promised: Ballot; // no smaller ballot is accepted
  answers: { inside: { [process: Pid]: boolean }; isAll: boolean } | null; // at the elected process: by process that answered, whether it is inside
};

type InnerTimer = PrefixedTimer<'lock' | 'election'>;
type Message =
  | { type: 'lock'; epoch: Ballot; as: Address; message: PlainMessage }
  | { type: 'election'; as: Address; message: PlainMessage }
  | { type: 'ask'; ballot: Ballot }
  | { type: 'answer'; ballot: Ballot; inside: boolean }
  | { type: 'refuse'; ballot: Ballot }
  | { type: 'install'; ballot: Ballot; members: readonly Pid[] }
  | { type: 'hears' | 'impatient' | 'answered' | 'again' | 'overdue' | 'to-myself' }
  | { type: InnerTimer; message: PlainMessage };

type P = Process<'mutex', Message, Knows>;
type Elected = { readonly type: 'elected'; readonly leader: Pid };

/**
 * Composes a lock with an election that survives crashes. When a process has waited too long, the elected process installs a fresh run of
 * the lock among the living. {@link withRecovery} takes any election.
 * @example
 * import { bully, tokenRing } from 'batonjs/algorithms';
 * import { lockWithRecovery } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const faults = [{ type: 'crash', process: 2, at: 3 }] as const;
 * simulate(tokenRing, { n: 4, faults, seed: 1 }).ok; // → false
 * simulate(lockWithRecovery(tokenRing, bully), { n: 4, faults, seed: 1 }).ok; // → true
 */
export function lockWithRecovery(
  lock: AnyAlgorithm,
  election: AnyAlgorithm,
): Algorithm<'mutex', State, Message, Knows> {
  const r = new LockRecovery(lock, election);
  const { token } = lock;
  return {
    ...compositionDeclarations(lock, election),
    problem: 'mutex',
    knows: ['me', 'n', 'neighbours', 'parent', 'maxDelay'],
    addresses: {
      values: ['members', 'root', 'from'],
      keys: ['inside'],
      inner: { lock: { of: lock, members: 'members' }, election: { of: election } },
    },
    ...(lock.perpetual && { perpetual: true }),
    timers: [...r.innerTimers, 'hears', 'to-myself', 'answered', 'again', 'overdue', 'impatient'],
    // A token of an ended epoch may still be in flight; its receiver drops it.
    ...(token && {
      token: {
        isHeld: (s) => s.lock !== null && token.isHeld(s.lock),
        isIn: (m) => m.type === 'lock' && token.isIn(m.message),
      },
    }),
    init: (place) => r.init(place),
    begin: (s, p) => r.begin(s, p, 0, allOf(p)),
    recover: (s, p) => r.restart(s, p),

    calls: {
      request(s, p) {
        s.phase = 'waiting';
        s.patience = patience(p);
        if (s.lock !== null) r.request(s, p);
      },
      release(s, p) {
        s.phase = 'idle';
        if (s.lock !== null) r.inLock(s, p, callInput('release'));
        else r.left(s, p);
      },
    },

    on: {
      lock: unlessDeaf((s, p, { epoch, as, message }, from) =>
        r.received(s, p, { epoch, from, as, message }),
      ),
      election: unlessDeaf((s, p, { as, message }) => r.inElection(s, p, messageInput(message, as))),
      ask: unlessDeaf((s, p, { ballot }, j) => r.asked(s, p, ballot, j)),
      answer: unlessDeaf((s, p, { ballot, inside }, j) => r.answer(s, p, ballot, j, inside)),
      refuse: unlessDeaf((s, p, { ballot }) => r.refused(s, p, ballot)),
      install: unlessDeaf((s, p, { ballot, members }) => {
        if (ballot === s.promised) r.install(s, p, members);
      }),

      hears: (s, p) => r.hears(s, p),
      answered: (s, p) => r.answered(s, p),
      again: (s, p) => r.ask(s, p),
      overdue: (s, p) => r.callElection(s, p),
      impatient(s, p) {
        s.patience *= 2;
        r.callElection(s, p);
      },
      'to-myself'(s, p) {
        for (const one of s.toMyself.splice(0)) r.received(s, p, one);
      },
      ...r.timerHandlers(),
    },
  };
}

// Any value is safe: a short one costs elections, a long one costs time.
const patience = (p: P) => 8 * p.n * p.maxDelay;
const overdue = (p: P) => 10 * p.n * p.maxDelay;

const allOf = (p: Facts<Knows>): InnerGroup => ({
  members: allProcesses(p.n),
  root: p.parent ?? p.me,
  maxDelay: p.maxDelay,
});

const unlessDeaf =
  <M>(handler: (s: State, p: P, m: M, j: Pid) => void) =>
  (s: State, p: P, m: M, j: Pid) => {
    if (!s.deaf) handler(s, p, m, j);
  };

class LockRecovery {
  readonly #lock: InnerAlgorithm<'lock'>;
  readonly #election: InnerAlgorithm<'election'>;

  constructor(lock: AnyAlgorithm, election: AnyAlgorithm) {
    this.#lock = new InnerAlgorithm('lock', lock);
    this.#election = new InnerAlgorithm('election', election);
  }

  init(place: Facts<Knows>): State {
    return {
      phase: 'idle',
      deaf: false,
      patience: 0,
      epoch: 0,
      members: [],
      root: place.me,
      lock: null,
      early: [],
      toMyself: [],
      election: this.#election.init(allOf(place), place.me),
      promised: 0,
      answers: null,
    };
  }

  // Steps of the two inner algorithms.

  inLock(s: State, p: P, input: Input): void {
    const { epoch, members, root } = s;
    const send = (to: Pid, message: PlainMessage, as: Address) => {
      if (to !== p.me) return p.send(to, { type: 'lock', epoch, as, message });
      s.toMyself.push({ epoch, from: p.me, as, message });
      p.after(1, { type: 'to-myself' });
    };
    const emit = ({ type }: AnyMessage) => {
      if (type === 'suspects') this.callElection(s, p);
      if (type !== 'entered') return;
      s.phase = 'inside';
      p.cancel('impatient');
      p.emit({ type: 'entered' });
    };
    const group = { members, root, maxDelay: p.maxDelay };
    this.#lock.step(s.lock, group, p, input, { send, emit });
  }

  inElection(s: State, p: P, input: Input): void {
    const send = (to: Pid, message: PlainMessage, as: Address) =>
      p.send(to, { type: 'election', as, message });
    const emit = (event: AnyMessage) => {
      if (event.type === 'elected') this.#elected(s, p, (event as Elected).leader);
    };
    this.#election.step(s.election, allOf(p), p, input, { send, emit });
  }

  get innerTimers(): InnerTimer[] {
    return [...this.#lock.timers, ...this.#election.timers];
  }

  timerHandlers(): { [type: InnerTimer]: (s: State, p: P, m: { message: PlainMessage }) => void } {
    return {
      ...this.#lock.onTimers((s: State, p: P, input) => this.inLock(s, p, input)),
      ...this.#election.onTimers((s: State, p: P, input) => this.inElection(s, p, input)),
    };
  }

  // Within an epoch.

  begin(s: State, p: P, epoch: Ballot, { members, root, maxDelay }: InnerGroup): void {
    s.epoch = epoch;
    s.members = members;
    s.root = root;
    s.lock = this.#lock.init({ members, root, maxDelay }, p.me);
    this.inLock(s, p, { kind: 'begin' });
    if (s.phase === 'waiting') this.request(s, p);
  }

  request(s: State, p: P): void {
    p.after(s.patience, { type: 'impatient' });
    this.inLock(s, p, callInput('request'));
  }

  received(s: State, p: P, one: State['early'][number]): void {
    if (s.lock === null && one.epoch === s.promised) s.early.push(one);
    else if (s.lock !== null && one.epoch === s.epoch && s.members.includes(one.from))
      this.inLock(s, p, messageInput(one.message, one.as));
  }

  // From one epoch to the next.

  callElection(s: State, p: P): void {
    p.after(overdue(p), { type: 'overdue' });
    this.inElection(s, p, callInput('start'));
  }

  /** This event may come after the epoch that the election led to. */
  #elected(s: State, p: P, leader: Pid): void {
    if (leader !== p.me) this.#stopAsking(s, p);
    else if (s.answers === null) this.ask(s, p);
  }

  ask(s: State, p: P): void {
    this.#promise(s, p, (Math.floor(s.promised / p.n) + 1) * p.n + p.me);
    s.answers = { inside: { [p.me]: s.phase === 'inside' }, isAll: false };
    for (const j of p.neighbours) p.send(j, { type: 'ask', ballot: s.promised });
    p.after(2 * p.maxDelay + 1, { type: 'answered' });
  }

  #stopAsking(s: State, p: P): void {
    s.answers = null;
    p.cancel('answered');
    p.cancel('again');
  }

  /** Promises a ballot: older ones no longer count, and the run of the lock stops. */
  #promise(s: State, p: P, ballot: Ballot): void {
    s.promised = ballot;
    s.lock = null;
    s.early = [];
    for (const type of this.#lock.timers) p.cancel(type);
    p.cancel('impatient');
    p.after(overdue(p), { type: 'overdue' });
  }

  asked(s: State, p: P, ballot: Ballot, j: Pid): void {
    if (ballot <= s.promised) p.send(j, { type: 'refuse', ballot: s.promised });
    else {
      this.#stopAsking(s, p);
      this.#promise(s, p, ballot);
      p.send(j, { type: 'answer', ballot, inside: s.phase === 'inside' });
    }
  }

  refused(s: State, p: P, ballot: Ballot): void {
    if (s.answers === null || ballot < s.promised) return;
    s.promised = ballot;
    this.ask(s, p);
  }

  answer(s: State, p: P, ballot: Ballot, j: Pid, inside: boolean): void {
    if (s.answers === null || ballot !== s.promised) return;
    s.answers.inside[j] = inside;
    this.#installWhenEmpty(s, p);
  }

  /** All living processes have answered by now. A process inside sends another answer when it leaves; the next question detects its crash. */
  answered(s: State, p: P): void {
    s.answers!.isAll = true;
    p.after(4 * p.n * p.maxDelay, { type: 'again' });
    this.#installWhenEmpty(s, p);
  }

  /** We released the lock, but the run in which we entered has stopped. */
  left(s: State, p: P): void {
    const asker = s.promised % p.n;
    if (asker === p.me) this.answer(s, p, s.promised, p.me, false);
    else p.send(asker, { type: 'answer', ballot: s.promised, inside: false });
  }

  #installWhenEmpty(s: State, p: P): void {
    const { inside, isAll } = s.answers!;
    const living = Object.keys(inside).map(Number);
    if (!isAll || living.some((j) => inside[j])) return;
    for (const j of living)
      if (j !== p.me) p.send(j, { type: 'install', ballot: s.promised, members: living });
    this.#stopAsking(s, p);
    this.install(s, p, living);
  }

  install(s: State, p: P, members: readonly Pid[]): void {
    const { early, promised } = s;
    s.early = [];
    p.cancel('overdue');
    this.begin(s, p, promised, { members, root: promised % p.n, maxDelay: p.maxDelay });
    for (const one of early) this.received(s, p, one);
  }

  restart(s: State, p: P): void {
    s.deaf = true;
    p.after(4 * p.maxDelay, { type: 'hears' });
  }

  hears(s: State, p: P): void {
    s.deaf = false;
    p.after(overdue(p), { type: 'overdue' });
    this.inElection(s, p, recoveryInput(this.#election.algorithm));
  }
}
