// Members of one group in virtual time. Every message between them is encoded and decoded as on a connection, and a test injects others.
import { algorithms } from '../../../src/algorithms/index.ts';
import { frameFormats } from '../../../src/cluster/transport/encoding/frame-formats.ts';
import { FrameReader, FrameWriter } from '../../../src/cluster/transport/encoding/framing.ts';
import { versionsOf } from '../../../src/cluster/transport/encoding/handshake.ts';
import type { Frame } from '../../../src/cluster/transport/transport.ts';
import { Random } from '../../../src/core/random.ts';
import {
  type AlgorithmMessage,
  type ExitCause,
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type Peer,
  protocolVersion,
  type StepMessage,
  type View,
} from '../../../src/member/index.ts';

const format = frameFormats.get(versionsOf(frameFormats).highest)!;

/** Returns the bytes of a frame on a connection, its length included. */
export function bytesOf(body: unknown): Buffer {
  const writer = new FrameWriter();
  writer.add(body);
  return Buffer.from(writer.take());
}

export const packed = (frame: Frame): unknown[] => format.pack(frame) as unknown[];

const peer = (id: MemberId): Peer => ({ id, address: '', label: id, priority: 0 });

/** A message of a lock algorithm, in a view of homes or in one with members of an older version. */
export type RealFrame = StepMessage | AlgorithmMessage;

interface Request {
  readonly lock: string;
  readonly by: MemberId;
}

class FuzzedMember implements Host<Request> {
  readonly member: Member<Request>;
  readonly dropped: string[] = [];
  readonly #group: FuzzedGroup;

  constructor(group: FuzzedGroup, id: MemberId, algorithm: string) {
    this.#group = group;
    const algorithmOf = (name: string) =>
      algorithms.find((one) => one.problem === 'mutex' && one.name === name);
    this.member = new Member({ id, algorithm, algorithmOf, leaseMs: 5000 }, this);
  }

  /** Bytes arrive on a connection from a peer. A frame that cannot be decoded breaks the channel, as in the transport. */
  bytesArrived(from: MemberId, bytes: Buffer): void {
    new FrameReader().add(bytes, (body) => {
      const frame = format.unpack(body);
      if (frame === null) {
        this.messageDropped('malformed frame');
        if (this.#group.view.members.some(({ id }) => id === from)) this.member.channelBroke(from);
      } else if (!('question' in frame) && frame.type !== 'soon') this.member.received(from, frame);
      return true;
    });
  }

  send(to: MemberId, message: MemberMessage): void {
    this.#group.sent(this.member.id, to, message);
  }
  proposeView(after: View, members: readonly Peer[]): void {
    this.#group.propose(after, members);
  }
  readView(): void {
    this.#group.after(1, () => this.member.viewChanged(this.#group.view));
  }
  after(milliseconds: number, task: () => void): () => void {
    return this.#group.after(milliseconds, task);
  }
  choose(): number {
    return 0;
  }
  holdsLease(): boolean {
    return true;
  }
  memberOut(cause: ExitCause): void {
    this.#group.failed(`${this.member.id} is out: ${cause}`);
  }
  contractBroken(reason: string): void {
    this.#group.failed(`${this.member.id} is broken: ${reason}`);
  }
  granted(request: Request, fence: number): void {
    this.#group.granted(request, fence);
  }
  busy(): void {}
  refused(request: Request): void {
    this.#group.refused(request);
  }
  lost(): void {}
  leaderChanged(): void {}
  hintHandover(): void {}
  messageDropped(why: string): void {
    this.dropped.push(why);
  }
}

export class FuzzedGroup {
  readonly members: ReadonlyMap<MemberId, FuzzedMember>;
  readonly failures: string[] = [];
  readonly seen = new Map<string, RealFrame>(); // the last real message to each member from each other one, by its kind; of the group's algorithm and of a run of all members
  view: View;
  readonly #random: Random;
  readonly #channels = new Map<
    string,
    { readonly from: MemberId; readonly to: MemberId; readonly bytes: Buffer }[]
  >();
  #timers: { readonly at: number; readonly task: () => void }[] = [];
  #now = 0;
  readonly #holders = new Map<string, Request>();
  readonly #fences = new Map<string, number>();
  readonly #waiting = new Set<Request>();

  constructor(algorithm: string, ids: readonly MemberId[], seed: number, isOld = false) {
    this.#random = new Random(seed, 'fuzz');
    this.members = new Map(ids.map((id) => [id, new FuzzedMember(this, id, algorithm)]));
    const speaks = isOld ? {} : { speaks: protocolVersion };
    this.view = { epoch: 1000, algorithm, members: ids.map((id) => ({ ...peer(id), ...speaks })) };
    for (const { member } of this.members.values()) member.viewChanged(this.view);
  }

  at(id: MemberId): FuzzedMember {
    return this.members.get(id)!;
  }

  get isSettled(): boolean {
    const isInstalled = ({ member }: FuzzedMember) =>
      member.isInstalled && member.view!.epoch === this.view.epoch;
    return this.#waiting.size === 0 && [...this.members.values()].every(isInstalled);
  }

  // What members do.

  sent(from: MemberId, to: MemberId, message: MemberMessage): void {
    if (this.#isOfAll(from, message)) this.seen.set(`${from} ${to} ${message.message.type}`, message);
    const key = `${from} ${to}`;
    this.#channels.set(key, [
      ...(this.#channels.get(key) ?? []),
      { from, to, bytes: bytesOf(packed(message)) },
    ]);
  }

  #isOfAll(from: MemberId, message: MemberMessage): message is RealFrame {
    if (message.type === 'run') return message.algorithm === null;
    if (message.type !== 'step') return false;
    const run = this.at(from).member.locks.get(message.lock)?.run;
    return run?.number === message.run && run.members.length === this.members.size;
  }

  propose(after: View, members: readonly Peer[]): void {
    if (after.epoch !== this.view.epoch) return;
    this.view = { ...this.view, epoch: after.epoch + 1, members, after: after.epoch };
    for (const { member } of this.members.values())
      this.after(1 + this.#random.below(3), () => member.viewChanged(this.view));
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#now + milliseconds, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  failed(why: string): void {
    this.failures.push(why);
  }

  granted(request: Request, fence: number): void {
    const { lock, by } = request;
    const holder = this.#holders.get(lock);
    if (holder !== undefined) this.failed(`${by} and ${holder.by} hold ${lock}`);
    if (fence <= (this.#fences.get(lock) ?? 0)) this.failed(`the fence of ${lock} does not rise`);
    this.#waiting.delete(request);
    this.#holders.set(lock, request);
    this.#fences.set(lock, fence);
  }

  refused(request: Request): void {
    this.#waiting.delete(request);
  }

  // What the test does.

  request(by: MemberId, lock: string): void {
    for (const waiting of this.#waiting) if (waiting.by === by && waiting.lock === lock) return;
    if (this.#holders.get(lock)?.by === by) return;
    const request = { lock, by };
    this.#waiting.add(request);
    this.at(by).member.request(lock, request);
  }

  release(lock: string): void {
    const holder = this.#holders.get(lock);
    if (holder === undefined) return;
    this.#holders.delete(lock);
    this.at(holder.by).member.release(lock, holder);
  }

  /** Delivers one message, or lets time pass until the next timer. Returns false if nothing can happen. */
  step(): boolean {
    const channels = [...this.#channels.values()].filter(({ length }) => length > 0);
    const timer = this.#timers.toSorted((a, b) => a.at - b.at)[0];
    if (
      channels.length > 0 &&
      (timer === undefined || timer.at > this.#now + 1 || this.#random.below(4) > 0)
    ) {
      const { from, to, bytes } = channels[this.#random.below(channels.length)]!.shift()!;
      this.at(to).bytesArrived(from, bytes);
    } else if (timer !== undefined) {
      this.#timers = this.#timers.filter((one) => one !== timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.task();
    } else return false;
    return true;
  }

  /** Serves every waiting request. Returns false if one is not served. */
  settle(): boolean {
    for (let steps = 0; steps < 20_000 && !this.isSettled; steps += 1) {
      for (const lock of [...this.#holders.keys()]) this.release(lock);
      if (!this.step()) break;
    }
    return this.isSettled;
  }
}
