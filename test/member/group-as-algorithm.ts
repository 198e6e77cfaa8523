// A group as an algorithm for the checker: its processes are the members and an engine that stores the view. The state of a member is its
// list of inputs. Each handler replays them on a new member.
import type { Algorithm, AnyAlgorithm, Pid, Process } from '../../src/core/algorithm.ts';
import { fail } from '../../src/core/assert.ts';
import { decode, encode } from '../../src/core/plain-data.ts';
import {
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type Peer,
  type View,
} from '../../src/member/index.ts';

type Input =
  | { type: 'viewed'; epoch: number; ids: Pid[] }
  | { type: 'received'; from: Pid; message: MemberMessage }
  | { type: 'died'; pid: Pid }
  | { type: 'request' }
  | { type: 'release' };

type State = {
  inputs: string[]; // encoded
  fence: number; // of the last entry
  isWaiting: boolean;
  isInside: boolean;
  isOut: boolean;
  epoch: number; // at the engine
  ids: Pid[];
};

type Message =
  | { type: 'message'; message: string } // encoded
  | { type: 'propose'; after: number; ids: Pid[] }
  | { type: 'view'; epoch: number; ids: Pid[] }
  | { type: 'died' }
  | { type: 'fate' };

type P = Process<'mutex', Message, ['me', 'n']>;

/** What the last member does, at any moment. */
export type Fate = 'joins' | 'leaves' | 'dies';

const lock = 'x';
const idOf = (position: Pid): MemberId => `m${position}`;
const pidOf = (id: MemberId): Pid => Number(id.slice(1));
const peer = (position: Pid): Peer => ({ id: idOf(position), address: '', label: '', priority: 0 });
const viewOf = (epoch: number, ids: readonly Pid[]): View => ({
  epoch,
  algorithm: '',
  members: ids.map(peer),
});

/** The message only asks to read the view from the engine. */
const isIdle = (input: Input) => input.type === 'received' && input.message.type === 'view';

/** Returns the inputs that matter for a member that holds nothing in a new view, so that equivalent histories are one state. */
function relevantInputs(
  { isWaiting }: State,
  before: readonly Input[],
  viewed: Input & { type: 'viewed' },
): Input[] {
  const matters = (input: Input) =>
    input.type === 'received' && 'epoch' in input.message
      ? input.message.epoch >= viewed.epoch
      : input.type === 'died' && viewed.ids.includes(input.pid);
  return [...(isWaiting ? [{ type: 'request' } as const] : []), viewed, ...before.filter(matters)];
}

/** The host of a replayed member. Carries out only the effects of the last input. */
class Script implements Host<string> {
  readonly #state: State;
  readonly #p: P;
  #isLast = false;
  #tasks: (() => void)[] = [];
  isHandled = true;

  constructor(state: State, p: P) {
    this.#state = state;
    this.#p = p;
  }

  apply(member: Member<string>, input: Input, isLast: boolean): void {
    this.#isLast = isLast;
    if (input.type === 'viewed') member.viewChanged(viewOf(input.epoch, input.ids));
    else if (input.type === 'received') member.received(idOf(input.from), input.message);
    else if (input.type === 'died') member.peerDied(idOf(input.pid));
    else if (input.type === 'request') member.request(lock, 'w');
    else member.release(lock, 'w');
    for (const task of this.#tasks.splice(0)) task();
  }

  send(to: MemberId, message: MemberMessage): void {
    if (this.#isLast) this.#p.send(pidOf(to), { type: 'message', message: encode(message) });
  }
  proposeView(after: View, members: readonly Peer[]): void {
    const ids = members.map(({ id }) => pidOf(id));
    if (this.#isLast) this.#p.send(this.#p.n - 1, { type: 'propose', after: after.epoch, ids });
  }
  readView(): void {} // the engine sends every view to all members
  after(milliseconds: number, task: () => void): () => void {
    if (milliseconds < 1000) this.#tasks.push(task); // longer timers are for engines that do not answer
    return () => {};
  }
  holdsLease(): boolean {
    return true;
  }
  memberOut(): void {
    if (this.#isLast) this.#state.isOut = true;
  }
  granted(_request: string, fence: number): void {
    if (!this.#isLast) return;
    this.#state.fence = fence;
    this.#state.isWaiting = false;
    this.#state.isInside = true;
    this.#p.emit({ type: 'entered' });
  }
  hintHandover(): void {}
  messageDropped(): void {
    this.isHandled = false;
  }
  busy(): void {
    fail('nobody tries');
  }
  refused(): void {
    fail('there is one algorithm');
  }
  lost(): void {}
  leaderChanged(): void {}
  contractBroken(reason: string): void {
    fail(reason);
  }
}

export interface Instance {
  readonly members: number;
  readonly fate: Fate;
  readonly lastAsks: boolean; // the last member requests the lock; it leaves after its release, and dies inside or later
  readonly member?: typeof Member;
}

/** Returns a group of `members` members, the last one with its fate. The engine is one more process. */
export function checked(
  inner: AnyAlgorithm,
  { members, fate, lastAsks, member = Member }: Instance,
): Algorithm<'mutex', State, Message, ['me', 'n']> {
  const all = Array.from({ length: members }, (_, i) => i);
  const first = fate === 'joins' ? all.slice(0, -1) : all;
  const last = members - 1;

  function handle(s: State, p: P, input: Input): void {
    if (s.isOut) return;
    const algorithmOf = () => inner;
    const script = new Script(s, p);
    const one = new member<string>(
      { id: idOf(p.me), algorithm: inner.name, algorithmOf, leaseMs: 1 },
      script,
    );
    const before = s.inputs.map((text) => decode(text) as Input);
    for (const earlier of before) script.apply(one, earlier, false);
    if (input.type === 'viewed' && input.epoch <= (one.view?.epoch ?? 0)) return;
    script.isHandled = true;
    script.apply(one, input, true);
    if (s.isInside && input.type !== 'release' && p.me === last && fate === 'dies')
      p.after(1, { type: 'fate' });
    if (!script.isHandled || isIdle(input)) return;
    s.inputs.push(encode(input));
    if (input.type === 'viewed' && !s.isInside) s.inputs = relevantInputs(s, before, input).map(encode);
  }

  return {
    name: `a group by ${inner.name}, the last of ${members} ${fate}`,
    problem: 'mutex',
    paper: 'none',
    assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
    knows: ['me', 'n'],
    bounds: [],
    timers: ['fate'],
    init: () => ({
      inputs: [],
      fence: 0,
      isWaiting: false,
      isInside: false,
      isOut: false,
      epoch: 1,
      ids: first,
    }),
    begin(s, p) {
      if (p.me === members) return;
      if (first.includes(p.me)) handle(s, p, { type: 'viewed', epoch: 1, ids: first });
      if (p.me === last && (fate === 'joins' || !lastAsks)) p.after(1, { type: 'fate' });
    },
    calls: {
      request(s, p) {
        s.isWaiting = true;
        handle(s, p, { type: 'request' });
      },
      release(s, p) {
        s.isInside = false;
        if (s.isOut) for (const other of all) if (other !== p.me) p.send(other, { type: 'died' });
        handle(s, p, { type: 'release' });
        if (p.me === last && fate === 'leaves') p.after(1, { type: 'fate' });
      },
    },
    on: {
      message: (s, p, { message }, from) =>
        handle(s, p, { type: 'received', from, message: decode(message) as MemberMessage }),
      died: (s, p, _, pid) => handle(s, p, { type: 'died', pid }),
      view(s, p, { epoch, ids }) {
        handle(s, p, { type: 'viewed', epoch, ids });
      },
      propose(s, p, { after, ids }, from) {
        if (after === s.epoch) {
          const receivers = new Set([...s.ids, ...ids]);
          s.epoch += 1;
          s.ids = ids;
          for (const one of receivers) p.send(one, { type: 'view', epoch: s.epoch, ids });
        } else p.send(from, { type: 'view', epoch: s.epoch, ids: s.ids });
      },
      fate(s, p) {
        const others = first.filter((one) => one !== p.me);
        if (fate === 'joins') p.send(members, { type: 'propose', after: 1, ids: all });
        else if (fate === 'leaves') p.send(members, { type: 'propose', after: 1, ids: others });
        else {
          s.isOut = true;
          if (!s.isInside) for (const one of others) p.send(one, { type: 'died' });
        }
      },
    },
    invariants: {
      'whoever is inside has the highest fence': ({ states }) =>
        states.every(
          ({ isInside, fence }, i) => !isInside || states.every((other, j) => i === j || other.fence < fence),
        ),
    },
  };
}
