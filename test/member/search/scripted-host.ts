// The host of one member in the search. It carries nothing out: it lists the effects of each input, and keeps the timers.
import type {
  ExitCause,
  Host,
  Leader,
  Member,
  MemberId,
  MemberMessage,
  MemberOptions,
  Peer,
  View,
} from '../../../src/member/index.ts';

/** Everything that can happen to a member. */
export type Input =
  | { readonly type: 'view'; readonly epoch: number; readonly ids: readonly MemberId[] }
  | { readonly type: 'message'; readonly from: MemberId; readonly message: MemberMessage }
  | { readonly type: 'dead' | 'broken' | 'unreachable'; readonly peer: MemberId }
  | {
      readonly type: 'request' | 'try' | 'cancel' | 'release';
      readonly lock: string;
      readonly request: string;
    }
  | { readonly type: 'timer'; readonly index: number } // in `timers`
  | { readonly type: 'new epoch' }
  | { readonly type: 'out'; readonly cause: ExitCause };

/** The circumstances of an input, which the member asks its host for. */
export interface Circumstances {
  readonly holdsLease: boolean;
  readonly isLeaving: boolean; // the process leaves: it does not rejoin if the member is out
}

/** Everything that a member does and that the rest of the world notices. */
export type Effect =
  | { readonly type: 'send'; readonly to: MemberId; readonly message: MemberMessage }
  | { readonly type: 'propose'; readonly after: number; readonly ids: readonly MemberId[] }
  | { readonly type: 'granted'; readonly request: string; readonly fence: number }
  | { readonly type: 'busy' | 'refused' | 'lost'; readonly request: string }
  | { readonly type: 'leader'; readonly election: string; readonly leader: Leader }
  | { readonly type: 'out'; readonly cause: ExitCause; readonly unserved: readonly string[] }
  | { readonly type: 'failed'; readonly reason: string };

export type TimerKind =
  | 'remove the dead'
  | 'ask for a new epoch again'
  | 'pace'
  | 'to itself'
  | 'probe'
  | 'unreachable';

export interface Timer {
  readonly kind: TimerKind;
  readonly delay: number;
  readonly epoch: number; // in which it was set
  readonly about: string; // the unreachable peer, or the number of the try
}

export const leaseMs = 70_000; // no other delay is a fraction of it

/** The code of a task names its kind. A new kind of timer fails the search until it is listed here. */
const kinds: readonly (readonly [text: string, kind: TimerKind])[] = [
  ['#proposeWithoutDead', 'remove the dead'],
  ['requestNewEpoch', 'ask for a new epoch again'],
  ['pacedSends', 'pace'],
  ['received(this.id', 'to itself'],
  ['#probe', 'probe'],
  ['outage', 'unreachable'],
];

function kindOf(task: () => void): TimerKind {
  const found = kinds.find(([text]) => task.toString().includes(text));
  if (found === undefined) throw new Error(`the search does not know this timer: ${task}`);
  return found[1];
}

const peer = (id: MemberId): Peer => ({ id, address: '', label: '', priority: 0 });

export type MemberClass = new (options: MemberOptions, host: Host<string>) => Member<string>;

export class ScriptedHost implements Host<string> {
  readonly member: Member<string>;
  timers: (Timer & { readonly task: () => void })[] = [];
  isOut = false;
  #effects: Effect[] = [];
  #circumstances: Circumstances = { holdsLease: true, isLeaving: false };
  #about = '';

  constructor(create: MemberClass, options: MemberOptions) {
    this.member = new create(options, this);
  }

  /** Applies one input and returns its effects. */
  apply(input: Input, circumstances: Circumstances): readonly Effect[] {
    this.#effects = [];
    this.#circumstances = circumstances;
    this.#about = input.type === 'unreachable' ? input.peer : '';
    try {
      this.#input(input);
    } catch (error) {
      this.#effects.push({ type: 'failed', reason: String(error) });
    }
    this.#dropDeadTimers();
    return this.#effects;
  }

  #input(input: Input): void {
    const { member } = this;
    switch (input.type) {
      case 'view':
        member.viewChanged({ epoch: input.epoch, algorithm: '', members: input.ids.map(peer) });
        break;
      case 'message':
        member.received(input.from, input.message);
        break;
      case 'dead':
        member.peerDied(input.peer);
        break;
      case 'broken':
        member.channelBroke(input.peer);
        break;
      case 'unreachable':
        this.timers = this.timers.filter(
          ({ about }) => about !== input.peer || this.#knowsOutage(input.peer),
        );
        member.peerUnreachable(input.peer);
        break;
      case 'request':
        member.request(input.lock, input.request);
        break;
      case 'try':
        member.try(input.lock, input.request);
        break;
      case 'cancel':
        member.cancel(input.lock, input.request);
        break;
      case 'release':
        member.release(input.lock, input.request);
        break;
      case 'timer': {
        const [timer] = this.timers.splice(input.index, 1);
        this.#about = timer!.about;
        timer!.task();
        break;
      }
      case 'new epoch':
        member.requestNewEpoch();
        break;
      case 'out':
        this.memberOut(input.cause);
        break;
    }
  }

  #knowsOutage(id: MemberId): boolean {
    return this.member.inspectState().unreachable.includes(id);
  }

  /**
   * Forgets the timers that can have no effect any more: those that compare the view, or the run, with the one in which they were set; those
   * about an outage that is over; and probes of a try that has ended. Two removals of the dead with the same delay propose the same.
   * Timers of one kind stay in their order.
   */
  #dropDeadTimers(): void {
    if (this.timers.length === 0) return;
    const { view, unreachable, locks } = this.member.inspectState();
    const attempts = locks.locks.flatMap((lock) => lock.attempts.map(([attempt]) => `${attempt}`));
    const isAlive = ({ kind, epoch, about }: Timer): boolean =>
      kind === 'unreachable'
        ? unreachable.includes(about)
        : kind === 'probe'
          ? attempts.includes(about)
          : epoch === (view?.epoch ?? -1);
    const isRepeated = (timer: Timer, index: number) =>
      timer.kind === 'remove the dead' &&
      this.timers.slice(0, index).some((one) => one.kind === timer.kind && one.delay === timer.delay);
    this.timers = this.timers
      .filter(isAlive)
      .filter((timer, index) => !isRepeated(timer, index))
      .sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
  }

  // Host.

  send(to: MemberId, message: MemberMessage): void {
    const { id } = this.member;
    if (this.isOut) throw new Error(`${id} sends ${message.type} after its end`);
    this.#effects.push({ type: 'send', to, message });
  }
  proposeView(after: View, members: readonly Peer[]): void {
    this.#effects.push({ type: 'propose', after: after.epoch, ids: members.map(({ id }) => id) });
  }
  readView(): void {} // a member may learn of every view at any moment
  after(delay: number, task: () => void): () => void {
    const kind = kindOf(task);
    const timer = {
      kind,
      delay: kind === 'probe' ? 0 : delay, // it doubles; a probe may be sent at any moment
      epoch: this.member.view?.epoch ?? -1,
      about: this.#captured(kind),
      task,
    };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }
  #captured(kind: TimerKind): string {
    if (kind === 'unreachable') return this.#about;
    if (kind !== 'probe') return '';
    return this.#about === '' ? `${this.member.inspectState().locks.attempts}` : this.#about; // the number of the newest try
  }
  choose(): number {
    return 0; // no algorithm here tosses coins
  }

  holdsLease(): boolean {
    if (this.#circumstances.holdsLease && !this.isOut) return true;
    this.memberOut('lease over');
    return false;
  }
  /** As src/cluster/membership does: the member ends at once, in the middle of its step. */
  memberOut(cause: ExitCause): void {
    if (this.isOut || this.#circumstances.isLeaving) return;
    this.isOut = true;
    const unserved = this.member.end(cause).flatMap(({ requests }) => requests);
    this.timers = [];
    this.#effects.push({ type: 'out', cause, unserved });
  }
  contractBroken(reason: string): void {
    this.#effects.push({ type: 'failed', reason });
  }
  hintHandover(): void {}
  granted(request: string, fence: number): void {
    this.#effects.push({ type: 'granted', request, fence });
  }
  busy(request: string): void {
    this.#effects.push({ type: 'busy', request });
  }
  refused(request: string): void {
    this.#effects.push({ type: 'refused', request });
  }
  lost(request: string): void {
    this.#effects.push({ type: 'lost', request });
  }
  leaderChanged(election: string, leader: Leader): void {
    this.#effects.push({ type: 'leader', election, leader });
  }
  messageDropped(): void {}
}
