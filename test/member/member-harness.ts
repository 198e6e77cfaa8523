// Members whose messages and timers a test controls.
import { algorithms } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import {
  type ExitCause,
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type Peer,
  protocolVersion,
  type View,
} from '../../src/member/index.ts';
import { homesOf, slotOf } from '../../src/member/slots.ts';

export const algorithmOf = (name: string): AnyAlgorithm | undefined =>
  algorithms.find((algorithm) => algorithm.problem === 'mutex' && algorithm.name === name);

const peer = (id: MemberId): Peer => ({ id, address: '', label: '', priority: 0 });

/** A view of members of this version: each lock has a home, which starts its runs. */
export const view = (epoch: number, ...ids: MemberId[]): View => ({
  epoch,
  algorithm: '',
  members: ids.map((id) => ({ ...peer(id), speaks: protocolVersion })),
});

/** A view of members before version 6: locks are handed on by flush and install. */
export const oldView = (epoch: number, ...ids: MemberId[]): View => ({
  epoch,
  algorithm: '',
  members: ids.map(peer),
});

/** Returns the name of a lock whose home in this view is that member. Names with another prefix are others. */
export function lockOf(next: View, home: MemberId, prefix = 'lock'): string {
  const homes = homesOf(next);
  for (let k = 0; ; k += 1) if (homes[slotOf(`${prefix}${k}`)] === home) return `${prefix}${k}`;
}

/** As `next`, but some members did not answer. */
export const withSilent = (next: View, ...silent: MemberId[]): View => ({
  ...next,
  members: next.members.map((one) => (silent.includes(one.id) ? { ...one, isSilent: true } : one)),
});

/** One member, its proposals, and the callbacks of its application. */
export class HarnessMember implements Host<string> {
  readonly member: Member<string>;
  readonly callbacks: string[] = [];
  readonly proposed: string[] = [];
  timers: { at: number; task: () => void }[] = [];
  readonly #group: Group;

  constructor(group: Group, id: MemberId, algorithm: string | AnyAlgorithm) {
    this.#group = group;
    const own = typeof algorithm === 'string' ? algorithmOf(algorithm) : algorithm;
    const { spansMachines } = group;
    const options = { id, algorithm: own!.name, leaseMs: 5000, spansMachines };
    this.member = new Member(
      {
        ...options,
        algorithmOf: (name) => (name === own!.name ? own : algorithmOf(name)),
        electionAlgorithmOf: (name) => group.elections.find((one) => one.name === name),
      },
      this,
    );
  }

  send(to: MemberId, message: MemberMessage): void {
    this.#group.messages.push({ from: this.member.id, to, message });
  }
  proposeView(after: View, members: readonly Peer[]): void {
    const named = members.map(({ id, isSilent }) => (isSilent === true ? `${id} (silent)` : id));
    this.proposed.push(`${after.epoch}: ${named}`);
  }
  readView(): void {}
  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#group.now + milliseconds, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }
  /** Lets this member ask for the reports that it needs as a home. */
  fireSync(): void {
    const isSync = ({ task }: { readonly task: () => void }) =>
      String((task as { readonly task?: () => void }).task).includes('#sync');
    const due = this.timers.filter(isSync);
    this.timers = this.timers.filter((timer) => !isSync(timer));
    for (const { task } of due) task();
  }
  choose(options: number): number {
    return this.#group.random.below(options);
  }
  holdsLease(): boolean {
    return true;
  }
  memberOut(cause: ExitCause): void {
    this.callbacks.push(`over: ${cause}`);
  }
  contractBroken(reason: string): void {
    this.callbacks.push(`broken: ${reason}`);
  }
  granted(request: string, fence: number): void {
    this.callbacks.push(`granted ${request} ${fence % 2 ** 17}`);
  }
  busy(request: string): void {
    this.callbacks.push(`busy ${request}`);
  }
  refused(request: string): void {
    this.callbacks.push(`refused ${request}`);
  }
  lost(request: string, cause: ExitCause): void {
    this.callbacks.push(`lost ${request}: ${cause}`);
  }
  leaderChanged(election: string, leader: { readonly id: MemberId } | null): void {
    this.callbacks.push(`${leader?.id ?? 'nobody'} leads ${election}`);
  }
  hintHandover(to: MemberId): void {
    this.callbacks.push(`${to} is next but one`);
  }
  messageDropped(why: string): void {
    this.callbacks.push(why);
  }
}

export class Group {
  readonly members: Readonly<Record<MemberId, HarnessMember>>;
  messages: { readonly from: MemberId; readonly to: MemberId; readonly message: MemberMessage }[] = [];
  now = 0;
  elections: readonly AnyAlgorithm[] = []; // the algorithms that elections may name
  readonly random = new Random(1, 'choices');
  #newest: View | null = null;

  constructor(algorithm: string | AnyAlgorithm, ...ids: MemberId[]) {
    this.members = Object.fromEntries(ids.map((id) => [id, new HarnessMember(this, id, algorithm)]));
  }

  /** Overridden by groups on several machines. */
  get spansMachines(): boolean {
    return false;
  }

  withElections(elections: readonly AnyAlgorithm[]): this {
    this.elections = elections;
    return this;
  }

  at(id: MemberId): HarnessMember {
    return this.members[id]!;
  }

  /** Returns the view as the engine stores it: it replaces the one before. Tests show it to the members that they choose. */
  decide(next: View): View {
    const decided = this.#newest === null ? next : { ...next, after: this.#newest.epoch };
    this.#newest = next;
    return decided;
  }

  /** Shows the view to its members, and delivers all messages. New homes ask for their reports at once. */
  install(next: View): void {
    const decided = this.decide(next);
    for (const { id } of next.members) this.at(id).member.viewChanged(decided);
    this.deliver();
    for (const { id } of next.members) this.at(id).fireSync();
    this.deliver();
  }

  /** The types of the messages that wait for delivery to this member. */
  typesTo(to: MemberId): readonly string[] {
    return this.messages.filter((one) => one.to === to).map(({ message }) => message.type);
  }

  /** Lets time pass, millisecond by millisecond, and delivers all messages that match. Defaults to all. */
  go(milliseconds: number, which?: (message: Group['messages'][number]) => boolean): void {
    for (let k = 0; k < milliseconds; k += 1) {
      this.deliver(which);
      this.pass(1);
    }
    this.deliver(which);
  }

  /** Delivers the messages that match, including those that deliveries cause. Defaults to all. */
  deliver(which: (message: Group['messages'][number]) => boolean = () => true): void {
    for (;;) {
      const i = this.messages.findIndex(which);
      if (i < 0) return;
      const [{ from, to, message } = undefined!] = this.messages.splice(i, 1);
      this.members[to]?.member.received(from, message);
    }
  }

  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const due = Object.values(this.members).flatMap((member) =>
        member.timers.map((timer) => ({ member, timer })),
      );
      const next = due.filter(({ timer }) => timer.at <= end).sort((a, b) => a.timer.at - b.timer.at)[0];
      if (next === undefined) break;
      this.now = next.timer.at;
      next.member.timers = next.member.timers.filter((one) => one !== next.timer);
      next.timer.task();
    }
    this.now = end;
  }
}
