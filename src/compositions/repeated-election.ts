// Elections again and again, among the living, of any election that assumes that nothing fails. Lecture slides, G. Le Lann (1977) and
// Raynal, chapter 2, section 5, name the idea: a process that notices that its leader is gone starts, on a ring that closes over the dead.
// The rules are ours:
//
// 1. A failure detector reports every crash to every process. A process that takes part starts a new round if its leader has crashed, or
//    if it does not know the leader yet: messages of the round may be lost.
// 2. A round is a fresh election among its members: all processes except those that its first process knew to have crashed. The network
//    of the election is laid over the members, so a ring closes over the others. The only member of a round leads at once. The election
//    must announce no leader before every member has taken part.
// 3. A message carries the members of its round. Whoever is not among them has crashed. A process that receives a message of a round
//    that leaves out a member of its own round joins that round, or starts one if it knows of more crashes. It drops messages of
//    older rounds.
//
// Why it is right: at each process the members only shrink, so it takes part in a round once, with a fresh state, and a round is one
// ordinary election. In a round that leaves out every process that ever crashes, nothing fails, so all its members learn one leader. A
// process that does not reach that round knows a living leader of an earlier one. All living processes have taken part in that
// round, since an election needs all its members. If one of them leaves that round, it
// has no leader until it learns one in a later round, which again needs all its members: then all living processes follow.
//
// The number of a round is that of the processes it leaves out. Two rounds with winners have different numbers: each needed all its
// members to take part, so of two rounds that each lack a member of the other, the one whose missing member crashed later has none.
import type { Address, Algorithm, AnyAlgorithm, Message, Pid, Plain, Process } from '../core/algorithm.ts';
import { fail, InputError } from '../core/assert.ts';
import type { Input } from '../machine/index.ts';
import {
  allProcesses,
  callInput,
  InnerAlgorithm,
  messageInput,
  type PlainMessage,
} from './inner-algorithm.ts';

type Knows = ['me', 'n'];

type State = {
  crashed: Pid[]; // processes known to have crashed
  members: Pid[]; // of the latest round; all before the first
  election: Plain; // the state of that round; null before the first
  leader: Leader | null; // of that round
};

type Leader = Pid | 'me' | 'another';

/** A message of the election with the members of its round, and the address at which it arrives, unless that is 0. */
type RoundMessage = PlainMessage & { readonly among: readonly Pid[]; readonly as?: Address };
type Timer = { type: `election-${string}`; message: PlainMessage };
type P = Process<'election', RoundMessage | Timer, Knows>;

/** The name of a repeated election ends with this. */
export const roundsSuffix = '+rounds';
const notice = 'crashed';

/**
 * Makes an election that happens again after a crash of the leader, or of any process while it runs, among the processes that live. Processes
 * go by their positions, which are their ids in the election. The election must announce no leader before every process has taken part.
 * @throws {InputError} if it is not an election, or handles crashes by itself.
 * @example
 * import { changRoberts } from 'batonjs/algorithms';
 * import { repeatedElection } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const faults = [{ type: 'crash', process: 3, at: 100 }] as const;
 * const run = simulate(repeatedElection(changRoberts), { n: 4, faults });
 * [run.ok, run.leader]; // → [true, 2]
 */
export function repeatedElection(election: AnyAlgorithm): AnyAlgorithm {
  const kinds = Object.keys(election.on).filter((type) => !election.timers?.includes(type));
  refuseUnfit(election, kinds);
  const rounds = new Rounds(election);
  const composed: Algorithm<'election', State, RoundMessage | Timer, Knows> = {
    name: `${election.name}${roundsSuffix}`,
    problem: 'election',
    paper: election.paper,
    assumes: { ...election.assumes, topology: 'complete', failures: 'crash' },
    knows: ['me', 'n'],
    addresses: {
      values: ['crashed', 'members', 'among'],
      inner: { election: { of: election, members: 'members' } },
    },
    elects: election.elects ?? 'any',
    crashNotice: notice,
    ...(rounds.election.timers.length > 0 && { timers: rounds.election.timers }),
    bounds: [],
    init: ({ n }: { n: number } = { n: 0 }) => ({
      crashed: [],
      members: allProcesses(n),
      election: null,
      leader: null,
    }),

    calls: {
      start(s, p) {
        if (s.election === null) rounds.start(s, p);
      },
    },

    on: {
      ...Object.fromEntries(
        kinds.map((kind) => [kind, (s: State, p: P, m: RoundMessage) => rounds.receive(s, p, m)]),
      ),
      [notice]: (s: State, p: P, _m: unknown, j: Pid) => rounds.crashed(s, p, j),
      ...rounds.election.onTimers<State, P>((s, p, input) => rounds.step(s, p, input)),
    },
  };
  return composed;
}

function refuseUnfit({ name, problem, assumes, perpetual }: AnyAlgorithm, kinds: readonly string[]): void {
  if (problem !== 'election')
    throw new InputError(
      `${name} is not an election: write ELECTION${roundsSuffix}, as in chang-roberts${roundsSuffix}`,
    );
  if (assumes.failures !== 'none' || perpetual)
    throw new InputError(`${name} elects again by itself after a crash: leave out ${roundsSuffix}`);
  if (assumes.timing === 'synchronous')
    throw new InputError(
      `${name} counts on a common time, which ${roundsSuffix} does not keep: choose another election`,
    );
  if (kinds.includes(notice))
    throw new InputError(
      `${name} has messages of type '${notice}', which ${roundsSuffix} needs: rename them`,
    );
}

class Rounds {
  readonly election: InnerAlgorithm<'election'>;
  readonly #isAnonymous: boolean;
  readonly #namesAddresses: boolean; // it has no ids: the leader is an address among the members

  constructor(election: AnyAlgorithm) {
    this.#isAnonymous = !election.knows.some((fact) => fact === 'id' || fact === 'me');
    this.#namesAddresses = !election.knows.includes('id');
    this.election = new InnerAlgorithm('election', election);
  }

  /** Starts a round among all processes that are not known to have crashed. */
  start(s: State, p: P): void {
    this.#join(s, p, livingIn(s, p));
    if (s.members.length > 1) this.step(s, p, callInput('start'));
    else this.#follow(s, p, this.#isAnonymous ? 'me' : p.me);
  }

  /** Rule 1. A follower that knows its leader only as `another` cannot tell whether that one has crashed. */
  crashed(s: State, p: P, j: Pid): void {
    if (s.crashed.includes(j)) return;
    learn(s, [j]);
    const isLed = s.leader !== null && s.leader !== j && s.leader !== 'another';
    if (s.election !== null && !isLed) this.start(s, p);
    else for (const timer of this.election.timers) p.cancel(timer); // they may wait for a message that is lost
  }

  /** Rule 3. */
  receive(s: State, p: P, m: RoundMessage): void {
    const { among, as = 0, ...message } = m as RoundMessage & object;
    learn(
      s,
      allProcesses(p.n).filter((i) => !among.includes(i)),
    );
    const takesPart = s.election !== null && isSubset(s.members, among);
    if (takesPart && s.members.length < among.length) return; // an older round
    if (!takesPart && livingIn(s, p).length < among.length) this.start(s, p);
    else {
      if (!takesPart) this.#join(s, p, among);
      this.step(s, p, messageInput(message as PlainMessage, as));
    }
  }

  #join(s: State, p: P, members: readonly Pid[]): void {
    s.members = [...members];
    s.election = this.election.init(groupOf(s, p), p.me);
    s.leader = null;
    for (const timer of this.election.timers) p.cancel(timer);
    p.emit({ type: 'electing', round: roundOf(s, p) });
  }

  step(s: State, p: P, input: Input): void {
    this.election.step(s.election, groupOf(s, p), p as OuterProcess, input, {
      send: (to, message, as) => p.send(to, inRound(message, s.members, as)),
      emit: (event) => {
        const { leader } = event as Message & { leader: Leader };
        const isAddress = this.#namesAddresses && typeof leader === 'number';
        this.#follow(s, p, isAddress ? s.members[leader]! : leader);
      },
    });
  }

  #follow(s: State, p: P, leader: Leader): void {
    s.leader = leader;
    p.emit({ type: 'elected', leader, round: roundOf(s, p) });
  }
}

type OuterProcess = P & Parameters<InnerAlgorithm<'election'>['step']>[2];

const roundOf = (s: State, p: P): number => p.n - s.members.length;
const groupOf = ({ members }: State, { me }: P) => ({ members, root: me, maxDelay: 0 });
const livingIn = ({ crashed }: State, { n }: P): Pid[] => allProcesses(n).filter((i) => !crashed.includes(i));
const isSubset = (some: readonly Pid[], all: readonly Pid[]): boolean => some.every((i) => all.includes(i));

function learn(s: State, crashed: readonly Pid[]): void {
  const news = crashed.filter((i) => !s.crashed.includes(i));
  if (news.length > 0) s.crashed = [...s.crashed, ...news].sort((a, b) => a - b);
}

function inRound(message: PlainMessage, among: readonly Pid[], as: Address): RoundMessage {
  if ('among' in message || 'as' in message)
    fail(`its message '${message.type}' has a field 'among' or 'as', which ${roundsSuffix} needs`);
  return { ...(message as PlainMessage & object), among, ...(as !== 0 && { as }) };
}
