// The host of one member in the search. It carries nothing out: it lists the effects of each input, and keeps the timers.
import { encode } from '../../../src/core/plain-data.ts';
import type {
  DropReason,
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
import { epochIn, isViewMessage } from '../../../src/member/member-messages.ts';
import { Silence } from '../../../src/member/silence.ts';
import { isFlushed } from '../../../src/member/view.ts';
import { type PeerText, peerOf, peerText, type StoredView } from './world.ts';

/** Everything that can happen to a member. */
export type Input =
  | ({ readonly type: 'view' } & StoredView)
  | { readonly type: 'message'; readonly from: MemberId; readonly message: MemberMessage }
  | { readonly type: 'dead' | 'broken' | 'unreachable'; readonly peer: MemberId }
  | {
      readonly type: 'request' | 'try' | 'cancel' | 'release';
      readonly lock: string;
      readonly request: string;
    }
  | { readonly type: 'timer'; readonly index: number; readonly tick?: Tick } // in `timers`
  | { readonly type: 'new epoch' | 'sweep' }
  | { readonly type: 'out'; readonly cause: ExitCause };

/** How the others answer when a member that waits asks them. */
export interface Tick {
  readonly hung: readonly MemberId[]; // these do not
  readonly isEarly: boolean; // the others answer, but too late
}

/** The circumstances of an input, which the member asks its host for. */
export interface Circumstances {
  readonly holdsLease: boolean;
  readonly isLeaving: boolean; // the process leaves: it does not rejoin if the member is out
}

/** Everything that a member does and that the rest of the world notices. */
export type Effect =
  | { readonly type: 'send'; readonly to: MemberId; readonly message: MemberMessage }
  | { readonly type: 'propose'; readonly after: number; readonly members: readonly PeerText[] }
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
  | 'unreachable'
  | 'sync' // of a new home: it asks for reports, also if no round needs them
  | 'grace' // of a round: somebody claims the lock, and others have not answered
  | 'tick' // of a member that waits
  | 'speak again'
  | 'poll';

export interface Timer {
  readonly kind: TimerKind;
  readonly delay: number;
  readonly epoch: number; // in which it was set; -1: it does not matter
  readonly about: string; // the unreachable peer, the number of the try, the lock and its run, or the message
}

/** Timers that are about something else than the view in which they were set. */
const outlivesView: readonly TimerKind[] = ['pace', 'to itself', 'probe', 'unreachable', 'grace', 'tick'];

export const leaseMs = 70_000; // no other delay is a fraction of it

/** The code of a task names its kind. A new kind of timer fails the search until it is listed here. */
const kinds: readonly (readonly [text: string, kind: TimerKind])[] = [
  ['#proposeWithoutDead', 'remove the dead'],
  ['requestNewEpoch', 'ask for a new epoch again'],
  ['pacedSends', 'pace'],
  ['received(this.id', 'to itself'],
  ['#probe', 'probe'],
  ['outage', 'unreachable'],
  ['#sync', 'sync'],
  ['#finish', 'grace'],
  ['#tick', 'tick'],
  ['#speakAgain', 'speak again'],
  ['contests', 'poll'],
];

/** A member wraps some of its tasks, and then names the task itself. */
function kindOf(wrapped: (() => void) & { readonly task?: () => void }): TimerKind {
  const task = wrapped.task ?? wrapped;
  const found = kinds.find(([text]) => task.toString().includes(text));
  if (found === undefined) throw new Error(`the search does not know this timer: ${task}`);
  return found[1];
}

interface PendingTimer extends Timer {
  about: string;
  readonly message: MemberMessage | null; // to itself
  readonly task: () => void;
}

/** Whether a home has yet to ask for reports about these slots. */
export function isAwaitingReports(member: Member<string>, slots: ReadonlySet<number>): boolean {
  const { unheard, isSynced } = member.inspectState().homes.directory;
  return !isSynced && unheard.some(({ slot, ids }) => slots.has(slot) && ids.length > 0);
}

export type MemberClass = new (options: MemberOptions, host: Host<string>) => Member<string>;

// The search explores members that were never slow before. To be patient only delays ticks, which may fire at any moment here.
Silence.prototype.adapt = () => {};
Silence.prototype.patienceFor = () => 1;

export class ScriptedHost implements Host<string> {
  readonly member: Member<string>;
  timers: PendingTimer[] = [];
  isOut = false;
  #effects: Effect[] = [];
  #circumstances: Circumstances = { holdsLease: true, isLeaving: false };
  #about = '';
  #isTicking = false;
  readonly #slots: ReadonlySet<number>;

  /** `slots` are those of the locks that are used. */
  constructor(create: MemberClass, options: MemberOptions, slots: ReadonlySet<number>) {
    this.#slots = slots;
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
    this.#nameGraceTimers();
    this.#dropDeadTimers();
    this.#skipIdleTicks();
    for (const lock of this.member.locks) lock.ticks = 0; // waits ask at every tick whether others answer
    return this.#effects;
  }

  #input(input: Input): void {
    const { member } = this;
    switch (input.type) {
      case 'view':
        member.viewChanged({
          ...{ epoch: input.epoch, algorithm: '', members: input.members.map(peerOf) },
          ...(input.after !== null && { after: input.after }),
        });
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
        if (timer!.kind === 'tick') this.#tick(timer!.task, input.tick!);
        else timer!.task();
        break;
      }
      case 'new epoch':
        member.requestNewEpoch();
        break;
      case 'sweep':
        member.sweep(); // it notes what was used before
        member.sweep();
        break;
      case 'out':
        this.memberOut(input.cause);
        break;
    }
  }

  // Ticks.

  /** The first tick only asks others whether they answer. That has no effect until the second one, so both and the answers are one event. */
  #tick(task: () => void, { hung, isEarly }: Tick): void {
    this.#isTicking = true;
    task();
    if (!isEarly) this.#answer(hung);
    if (this.#effects.length === 0) this.#tickAgain();
    this.#answer(hung);
    this.#isTicking = false;
  }

  #answer(hung: readonly MemberId[]): void {
    for (const { id } of this.member.inspectState().homes.silence.hailed)
      if (!hung.includes(id)) this.member.received(id, { type: 'hail', isAnswer: true });
  }

  #tickAgain(): void {
    const index = this.timers.findIndex(({ kind }) => kind === 'tick');
    if (index >= 0) this.timers.splice(index, 1)[0]!.task();
  }

  /** A tick has no effect while nobody waits, and in a view of the flush protocol: it fires at once. */
  #skipIdleTicks(): void {
    const { locks, view } = this.member;
    if (this.isOut || (locks.waiting.size > 0 && view !== null && !isFlushed(view))) return;
    this.#tickAgain();
  }

  /** The timer of a round does not say of which lock it is. */
  #nameGraceTimers(): void {
    for (const timer of this.timers) {
      if (timer.kind !== 'grace' || timer.about !== '') continue;
      const { entries } = this.member.inspectState().homes.directory;
      const unnamed = entries.find(
        ({ lock, round }) => round?.hasGrace && this.timers.every(({ about }) => about !== `grace ${lock}`),
      );
      timer.about = `grace ${unnamed!.lock}`;
    }
  }

  #knowsOutage(id: MemberId): boolean {
    return this.member.inspectState().unreachable.includes(id);
  }

  /**
   * Forgets the timers that can have no effect any more: those that compare the view, or the run, with the one in which they were set; those
   * about an outage that is over; probes of a try that has ended; syncs that nobody needs; messages to itself of an older view. Two removals of the dead with the same delay propose the same.
   * Timers of one kind stay in their order.
   */
  #dropDeadTimers(): void {
    if (this.timers.length === 0) return;
    const locks = [...this.member.locks];
    const now = this.member.view?.epoch ?? -1;
    const isAlive = ({ kind, epoch, about, message }: PendingTimer): boolean => {
      switch (kind) {
        case 'unreachable':
          return this.#knowsOutage(about);
        case 'probe':
          return locks.some(({ attempts }) => attempts.has(Number(about)));
        case 'pace':
          return locks.some(({ name, run }) => about === `${name} ${run?.number}`);
        case 'sync':
          return epoch === now && isAwaitingReports(this.member, this.#slots);
        case 'to itself':
          return !isViewMessage(message!) || epochIn(message!) >= now;
        default:
          return outlivesView.includes(kind) || epoch === now;
      }
    };
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
    const relevant = this.#relevant(message);
    if (relevant !== null) this.#effects.push({ type: 'send', to, message: relevant });
  }
  /**
   * Slots without locks do not matter, and messages about them alone are left out. Their receiver would only answer. So is what makes a member
   * read the engine, as it may do so at any moment.
   */
  #relevant(message: MemberMessage): MemberMessage | null {
    if (message.type === 'view') return isFlushed(this.member.view!) ? message : null;
    if (message.type === 'hail' && this.#isTicking) return null;
    if (message.type !== 'sync' && message.type !== 'report') return message;
    const slots = message.slots.filter((slot) => this.#slots.has(slot));
    return message.type === 'sync' && slots.length === 0 ? null : { ...message, slots };
  }
  proposeView(after: View, members: readonly Peer[]): void {
    this.#effects.push({ type: 'propose', after: after.epoch, members: members.map(peerText) });
  }
  readView(): void {} // a member may learn of every view at any moment
  after(delay: number, task: () => void): () => void {
    const kind = kindOf(task);
    const message = kind === 'to itself' ? this.#messageIn(task) : null;
    const timer: PendingTimer = {
      kind,
      delay: kind === 'probe' ? 0 : delay, // it doubles; a probe may be sent at any moment
      epoch: outlivesView.includes(kind) ? -1 : (this.member.view?.epoch ?? -1),
      about: message === null ? this.#captured(kind) : encode(message),
      message,
      task,
    };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }
  /** The message that a task delivers to this member. */
  #messageIn(task: () => void): MemberMessage {
    const found: MemberMessage[] = [];
    this.member.received = (_, message) => found.push(message);
    task();
    delete (this.member as Partial<Member<string>>).received; // the method of the class counts again
    return found[0]!;
  }
  #captured(kind: TimerKind): string {
    if (kind === 'unreachable') return this.#about;
    if (kind === 'pace') return this.#pacedRun();
    if (kind !== 'probe') return '';
    return this.#about === '' ? `${this.member.inspectState().locks.attempts}` : this.#about; // the number of the newest try
  }
  /** The lock and the run that have one more delayed message than timers. */
  #pacedRun(): string {
    const timersOf = (run: string) =>
      this.timers.filter(({ kind, about }) => kind === 'pace' && about === run).length;
    for (const { name, run } of this.member.locks)
      if (run !== null && run.pacedSends.length > timersOf(`${name} ${run.number}`))
        return `${name} ${run.number}`;
    return 'a run that has not begun';
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
  /** Members that work send nothing malformed. */
  messageDropped(why: DropReason): void {
    if (why !== 'malformed') return;
    this.#effects.push({
      type: 'failed',
      reason: `${this.member.id} gets a message that no working member can have sent`,
    });
  }
}
