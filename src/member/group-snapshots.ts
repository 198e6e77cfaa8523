// Snapshots of a running group by the algorithm of Chandy and Lamport. The processes are the members of one view. The channels are those
// that carry the messages of lock algorithms. A member records which locks it holds and which tokens it has. A member that takes no
// part in a run of a lock is still in the initial state of the algorithm, and may have the token there.

import {
  chandyLamport,
  isComplete,
  type LocalSnapshot,
  nothingRecorded,
  type RecordingProcess,
} from '../compositions/chandy-lamport.ts';
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import type { TokenLocation } from '../core/world-queries.ts';
import { carriesToken, LockNetwork } from './lock-network.ts';
import type { LockTable } from './lock-table.ts';
import type {
  AlgorithmMessage,
  MemberMessage,
  RecordedLock,
  SnapshotPart,
  TokenInTransit,
  ViewMessage,
} from './member-messages.ts';
import { inPieces, PieceList } from './pieces.ts';
import type { View } from './view.ts';

/** One lock in a consistent global state. Members are positions in the view. */
export interface LockSnapshot {
  readonly lock: string;
  readonly algorithm: string;
  readonly holders: readonly Pid[]; // at most one, unless exclusion is violated
  readonly waiting: readonly Pid[]; // one entry per waiting request
  readonly tokens: readonly TokenLocation[] | null; // exactly one, unless a token is lost or duplicated; null: the algorithm has no token
}

export type GroupSnapshot =
  | { readonly epoch: number; readonly locks: readonly LockSnapshot[] }
  | { readonly failed: string }; // the reason, as a sentence

type RecordedPieces = { readonly locks: PieceList<RecordedLock>; readonly tokens: PieceList<TokenInTransit> };
type RecordedState = { readonly locks: readonly RecordedLock[]; readonly tokens: readonly TokenInTransit[] };

const forgetMs = 10_000; // until an incomplete snapshot is discarded
const mostCuts = 16; // snapshots in progress of one member; the oldest is discarded
const mostTokens = 10_000; // in transit; a snapshot that records more is discarded
const mostWaiting = 1_000_000; // requests in the part of one member

/** The parts of a member that its snapshots use. */
interface SnapshotContext {
  readonly locks: Pick<LockTable<unknown>, typeof Symbol.iterator>;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly algorithm: string; // of the group
  sendTo(to: Pid, message: MemberMessage): void;
  after(milliseconds: number, task: () => void): () => void;
}

interface PendingSnapshot {
  readonly parts: Map<Pid, RecordedState>;
  readonly pieces: Map<Pid, RecordedPieces>; // of parts that are incomplete
  readonly end: (snapshot: GroupSnapshot) => void;
}

export class GroupSnapshots {
  readonly #context: SnapshotContext;
  #view: View | null = null;
  #position: Pid = -1;
  #started = 0; // snapshots that this member has started
  readonly #cuts = new Map<string, LocalSnapshot<RecordedState, TokenInTransit>>(); // by initiator and number
  readonly #own = new Map<number, PendingSnapshot>();
  readonly #latest = new Map<Pid, number>(); // highest number of each initiator: an older marker without a cut is late, and ignored

  constructor(context: SnapshotContext) {
    this.#context = context;
  }

  /** Snapshots in progress. */
  get size(): number {
    return this.#cuts.size + this.#own.size;
  }

  installed(view: View, position: Pid): void {
    this.#view = view;
    this.#position = position;
  }

  stop(why: string): void {
    this.#view = null;
    this.#cuts.clear();
    this.#latest.clear();
    for (const { end } of [...this.#own.values()]) end({ failed: why });
  }

  /** Takes a snapshot of the whole group. Calls `done` with it, or with the reason for failure after the timeout. */
  take(milliseconds: number, done: (snapshot: GroupSnapshot) => void): void {
    if (this.#view === null) {
      done({ failed: 'the view is changing' });
      return;
    }
    this.#started += 1;
    const number = this.#started;
    const parts = new Map<Pid, RecordedState>();
    const end = (snapshot: GroupSnapshot) => {
      cancel();
      this.#own.delete(number);
      this.#cuts.delete(`${this.#position} ${number}`);
      done(snapshot);
    };
    const cancel = this.#context.after(milliseconds, () => end(this.#timedOut(parts, milliseconds)));
    this.#own.set(number, { parts, pieces: new Map(), end });
    chandyLamport.record(this.#cutOf(this.#position, number)!, this.#recorder(this.#position, number));
  }

  #timedOut(parts: ReadonlyMap<Pid, RecordedState>, milliseconds: number): GroupSnapshot {
    const silent = this.#view!.members.filter((_, i) => !parts.has(i)).map(({ label, id }) => label || id);
    const why = 'does not answer, cannot reach another one, or is of a version without snapshots';
    return { failed: `within ${milliseconds} ms nothing came from ${silent.join(', ')}, which ${why}` };
  }

  // Messages.

  /** Returns false if no working member can have sent the marker. */
  onMarker({ by, number }: ViewMessage & { type: 'marker' }, sender: Pid): boolean {
    if (by >= this.#view!.members.length) return false;
    const cut = this.#cutOf(by, number);
    if (cut === null) return true;
    if (cut.closed.includes(sender)) return false;
    chandyLamport.markerCame(cut, sender, this.#recorder(by, number));
    if (!isComplete(cut)) return true;
    this.#cuts.delete(`${by} ${number}`);
    this.#sendPart(by, number, cut);
    return true;
  }

  #sendPart(
    to: Pid,
    number: number,
    { state, channels }: LocalSnapshot<RecordedState, TokenInTransit>,
  ): void {
    const { epoch } = this.#view!;
    const tokens = inPieces([...state!.tokens, ...Object.values(channels).flat()]);
    const locks = inPieces(state!.locks);
    for (const piece of tokens.slice(0, -1))
      this.#context.sendTo(to, { type: 'part-piece', epoch, number, locks: [], tokens: piece });
    for (const piece of locks.slice(0, -1))
      this.#context.sendTo(to, { type: 'part-piece', epoch, number, locks: piece, tokens: [] });
    const last = { locks: locks.at(-1)!, tokens: tokens.at(-1)! };
    this.#context.sendTo(to, { type: 'part', epoch, number, ...last });
  }

  /** Must be called before the message is handled. */
  onAlgorithmMessage(envelope: AlgorithmMessage, sender: Pid): void {
    if (this.#cuts.size === 0) return;
    const token = this.#tokenIn(envelope, sender, this.#position);
    if (token === null) return;
    for (const [key, cut] of this.#cuts) {
      chandyLamport.messageCame(cut, sender, token);
      if ((cut.channels[sender]?.length ?? 0) > mostTokens) this.#cuts.delete(key);
    }
  }

  /** Returns false if no working member can have sent the part. */
  onPart(part: SnapshotPart & { type: 'part' | 'part-piece' }, sender: Pid): boolean {
    const n = this.#view!.members.length;
    if (!part.locks.every(({ root }) => root < n)) return false;
    if (!part.tokens.every(({ from, to }) => from < n && to < n)) return false;
    const pending = this.#own.get(part.number);
    if (pending === undefined) return true; // it has ended
    if (pending.parts.has(sender)) return false;
    const pieces = pending.pieces.get(sender) ?? { locks: new PieceList(), tokens: new PieceList() };
    pending.pieces.set(sender, pieces);
    if (!pieces.locks.add(part.locks) || !pieces.tokens.add(part.tokens)) return false;
    if (part.type === 'part-piece') return true;
    if (pieces.locks.items.reduce((sum, { waiting }) => sum + waiting, 0) > mostWaiting) return false;
    pending.parts.set(sender, { locks: pieces.locks.items, tokens: pieces.tokens.items });
    if (pending.parts.size === n) pending.end(this.#assembled(pending.parts));
    return true;
  }

  /** Returns null if the snapshot is over. */
  #cutOf(by: Pid, number: number): LocalSnapshot<RecordedState, TokenInTransit> | null {
    const key = `${by} ${number}`;
    const known = this.#cuts.get(key);
    if (known !== undefined) return known;
    if (number <= (this.#latest.get(by) ?? 0)) return null;
    const cut = nothingRecorded<RecordedState, TokenInTransit>();
    this.#latest.set(by, number);
    this.#cuts.set(key, cut);
    const own = [...this.#cuts.keys()].filter((one) => one.startsWith(`${by} `));
    if (own.length > mostCuts) this.#cuts.delete(own[0]!);
    this.#context.after(forgetMs, () => {
      if (this.#cuts.get(key) === cut) this.#cuts.delete(key);
    });
    return cut;
  }

  /** Every member has a channel to every member, itself included: a ring of one sends to itself. */
  #recorder(by: Pid, number: number): RecordingProcess<RecordedState, Pid> {
    const { epoch, members } = this.#view!;
    return {
      incoming: members.length,
      outgoing: [...members.keys()],
      state: () => this.#state(),
      sendMarker: (to) => this.#context.sendTo(to, { type: 'marker', epoch, by, number }),
    };
  }

  #state(): RecordedState {
    const locks: RecordedLock[] = [];
    const tokens: (TokenInTransit | null)[] = [];
    for (const { name: lock, algorithm, run, isHeld, waiting } of this.#context.locks) {
      if (run === null) continue;
      const { root, hasToken } = run;
      locks.push({ lock, algorithm, root, isHeld, hasToken, waiting: waiting.length });
      for (const { to, envelope } of run.pacedSends) tokens.push(this.#tokenIn(envelope, this.#position, to));
      for (const { sender, message: envelope } of run.causalInbox?.early ?? [])
        tokens.push(this.#tokenIn(envelope, sender, this.#position));
    }
    return { locks, tokens: tokens.filter((token) => token !== null) };
  }

  #tokenIn({ lock, algorithm: named, message }: AlgorithmMessage, from: Pid, to: Pid): TokenInTransit | null {
    const algorithm = named ?? this.#context.algorithm;
    const known = this.#context.algorithmOf(algorithm);
    return known !== undefined && carriesToken(known, message) ? { lock, algorithm, from, to } : null;
  }

  #assembled(parts: ReadonlyMap<Pid, RecordedState>): GroupSnapshot {
    const runs = new Map<string, Map<Pid, RecordedLock>>();
    for (const [at, { locks }] of parts)
      for (const part of locks) {
        const key = `${part.algorithm} ${part.lock}`;
        runs.set(key, (runs.get(key) ?? new Map()).set(at, part));
      }
    const tokens = [...parts.values()].flatMap((part) => part.tokens);
    const locks = [...runs.values()].map((run) => this.#lock(run, tokens));
    return { epoch: this.#view!.epoch, locks: locks.sort((a, b) => (a.lock < b.lock ? -1 : 1)) };
  }

  #lock(run: ReadonlyMap<Pid, RecordedLock>, inTransit: readonly TokenInTransit[]): LockSnapshot {
    const { lock, algorithm, root } = [...run.values()][0]!;
    const where = (is: (part: RecordedLock) => boolean) =>
      [...run].flatMap(([at, part]) => (is(part) ? [at] : []));
    const isOurs = (token: TokenInTransit) => token.lock === lock && token.algorithm === algorithm;
    const known = this.#context.algorithmOf(algorithm); // undefined: only other members know it
    const network = known && new LockNetwork(known, this.#view!.members.length);
    const idle = [...this.#view!.members.keys()].filter((at) => !run.has(at));
    const tokens: TokenLocation[] = [
      ...where(({ hasToken }) => hasToken).map((at) => ({ at })),
      ...idle.filter((at) => network?.beginsWithToken(at, root)).map((at) => ({ at })),
      ...inTransit.filter(isOurs).map(({ from, to }) => ({ from, to })),
    ];
    return {
      lock,
      algorithm,
      holders: where(({ isHeld }) => isHeld),
      waiting: [...run].flatMap(([at, { waiting }]) => Array<Pid>(waiting).fill(at)),
      tokens: known?.token === undefined ? null : tokens,
    };
  }
}
