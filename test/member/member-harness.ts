// Members that speak when a test lets them.
import { algorithms } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import {
  type ExitCause,
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type Peer,
  type View,
} from '../../src/member/index.ts';

export const algorithmOf = (name: string): AnyAlgorithm | undefined =>
  algorithms.find((algorithm) => algorithm.problem === 'mutex' && algorithm.name === name);

const peer = (id: MemberId): Peer => ({ id, address: '', label: '', priority: 0 });

export const view = (epoch: number, ...ids: MemberId[]): View => ({
  epoch,
  algorithm: '',
  members: ids.map(peer),
});

/** One member, what it asked for, and what its application was told. */
export class HarnessMember implements Host<string> {
  readonly member: Member<string>;
  readonly told: string[] = [];
  readonly proposed: string[] = [];
  timers: { at: number; task: () => void }[] = [];
  readonly #group: Group;

  constructor(group: Group, id: MemberId, algorithm: string | AnyAlgorithm) {
    this.#group = group;
    const own = typeof algorithm === 'string' ? algorithmOf(algorithm) : algorithm;
    const options = { id, algorithm: own!.name, leaseMs: 5000 };
    this.member = new Member(
      { ...options, algorithmOf: (name) => (name === own!.name ? own : algorithmOf(name)) },
      this,
    );
  }

  send(to: MemberId, word: MemberMessage): void {
    this.#group.words.push({ from: this.member.id, to, word });
  }
  proposeView(after: View, members: readonly Peer[]): void {
    this.proposed.push(`${after.epoch}: ${members.map(({ id }) => id)}`);
  }
  readView(): void {}
  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#group.now + milliseconds, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }
  holdsLease(): boolean {
    return true;
  }
  memberOut(cause: ExitCause): void {
    this.told.push(`over: ${cause}`);
  }
  contractBroken(reason: string): void {
    this.told.push(`broken: ${reason}`);
  }
  granted(wait: string, fence: number): void {
    this.told.push(`granted ${wait} ${fence % 2 ** 20}`);
  }
  busy(wait: string): void {
    this.told.push(`busy ${wait}`);
  }
  refused(wait: string): void {
    this.told.push(`refused ${wait}`);
  }
  lost(wait: string, cause: ExitCause): void {
    this.told.push(`lost ${wait}: ${cause}`);
  }
  leaderChanged(election: string, leader: { readonly id: MemberId } | null): void {
    this.told.push(`${leader?.id ?? 'nobody'} leads ${election}`);
  }
  hintHandover(to: MemberId): void {
    this.told.push(`${to} is next but one`);
  }
  messageDropped(why: string): void {
    this.told.push(why);
  }
}

export class Group {
  readonly seats: Readonly<Record<MemberId, HarnessMember>>;
  words: { readonly from: MemberId; readonly to: MemberId; readonly word: MemberMessage }[] = [];
  now = 0;

  constructor(algorithm: string | AnyAlgorithm, ...ids: MemberId[]) {
    this.seats = Object.fromEntries(ids.map((id) => [id, new HarnessMember(this, id, algorithm)]));
  }

  at(id: MemberId): HarnessMember {
    return this.seats[id]!;
  }

  /** All see it, and hear all that is said then. */
  install(next: View): void {
    for (const { id } of next.members) this.at(id).member.viewChanged(next);
    this.deliver();
  }

  /** What is on its way, and what that leads to; only the words of which that is so, if said. */
  deliver(which: (said: Group['words'][number]) => boolean = () => true): void {
    for (;;) {
      const i = this.words.findIndex(which);
      if (i < 0) return;
      const [{ from, to, word } = undefined!] = this.words.splice(i, 1);
      this.seats[to]?.member.received(from, word);
    }
  }

  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const due = Object.values(this.seats).flatMap((seat) => seat.timers.map((timer) => ({ seat, timer })));
      const next = due.filter(({ timer }) => timer.at <= end).sort((a, b) => a.timer.at - b.timer.at)[0];
      if (next === undefined) break;
      this.now = next.timer.at;
      next.seat.timers = next.seat.timers.filter((one) => one !== next.timer);
      next.timer.task();
    }
    this.now = end;
  }
}
