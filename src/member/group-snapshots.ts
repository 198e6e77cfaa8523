// Snapshots of a running group by the algorithm of Chandy and Lamport. The processes are the members of one view. The channels are those
// that carry the messages of lock algorithms. A member records which locks it holds, and of each run that can go on, whether it has the
// token. A run is complete if all its members have recorded it. If it is not, the lock is just being started again.

import {
  chandyLamport,
  isComplete,
  type LocalSnapshot,
  nothingRecorded,
  type RecordingProcess,
} from '../compositions/chandy-lamport.ts';
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import type { TokenLocation } from '../core/world-queries.ts';
import type { LocalLock } from './local-lock.ts';
import { carriesToken, LockNetwork } from './lock-network.ts';
import type { LockRun } from './lock-run.ts';
import type { LockTable } from './lock-table.ts';
import type {
  AlgorithmMessage,
  FlushedLock,
  FlushedToken,
  MemberMessage,
  RecordedLock,
  SnapshotPart,
  StepMessage,
  TokenInTransit,
  ViewMessage,
} from './member-messages.ts';
import { inPieces, PieceList } from './pieces.ts';
import { isFlushed, type MemberId, type View } from './view.ts';

/** One lock in a consistent global state. Members are positions in the view. */
export interface LockSnapshot {
  readonly lock: string;
  readonly algorithm: string;
  readonly holders: readonly Pid[]; // at most one, unless exclusion is violated
  readonly waiting: readonly Pid[]; // one entry per waiting request
  readonly tokens: readonly TokenLocation[] | null; // exactly one, unless a token is lost or duplicated; null: the algorithm has no token
  readonly isStarting: boolean; // members are about to start it: nobody can enter, and `tokens` is null
}

export type GroupSnapshot =
  | { readonly epoch: number; readonly locks: readonly LockSnapshot[] }
  | { readonly failed: string }; // the reason, as a sentence

// In a view of the flush protocol, all are of the second kind.
type AnyLock = RecordedLock | FlushedLock;
type AnyToken = TokenInTransit | FlushedToken;
type AnyPart = SnapshotPart<AnyLock, AnyToken>;
type RecordedPieces = { readonly locks: PieceList<AnyLock>; readonly tokens: PieceList<AnyToken> };
type RecordedState = { readonly locks: readonly AnyLock[]; readonly tokens: readonly AnyToken[] };

const forgetMs = 10_000; // until an incomplete snapshot is discarded
const mostCuts = 16; // snapshots in progress of one member; the oldest is discarded
const mostTokens = 10_000; // in transit; a snapshot that records more is discarded
const mostWaiting = 1_000_000; // requests in the part of one member

/** The parts of a member that its snapshots use. */
interface SnapshotContext {
  readonly locks: Pick<LockTable<unknown>, typeof Symbol.iterator>;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly algorithm: string; // of the group
  isUsable(lock: LocalLock<unknown>, run: LockRun): boolean; // the run can go on
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
  #positions = new Map<MemberId, Pid>();
  #started = 0; // snapshots that this member has started
  readonly #cuts = new Map<string, LocalSnapshot<RecordedState, AnyToken>>(); // by initiator and number
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
    this.#positions = new Map(view.members.map(({ id }, at) => [id, at]));
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

  #sendPart(to: Pid, number: number, { state, channels }: LocalSnapshot<RecordedState, AnyToken>): void {
    const { epoch } = this.#view!;
    const tokens = inPieces([...state!.tokens, ...Object.values(channels).flat()]);
    const locks = inPieces(state!.locks);
    const type = isFlushed(this.#view!) ? 'part' : 'recorded';
    const send = (message: AnyPart & { readonly type: string }) =>
      this.#context.sendTo(to, message as ViewMessage & { type: 'part' | 'recorded' });
    for (const piece of tokens.slice(0, -1))
      send({ type: `${type}-piece`, epoch, number, locks: [], tokens: piece });
    for (const piece of locks.slice(0, -1))
      send({ type: `${type}-piece`, epoch, number, locks: piece, tokens: [] });
    send({ type, epoch, number, locks: locks.at(-1)!, tokens: tokens.at(-1)! });
  }

  /** Must be called before the message is handled, in the flush protocol. */
  onAlgorithmMessage(envelope: AlgorithmMessage, sender: Pid): void {
    if (this.#cuts.size === 0) return;
    const token = this.#flushedToken(envelope, sender, this.#position);
    this.#messageCame(sender, () => token);
  }

  /** Must be called before the message is handled. The run may have ended here since it was recorded. */
  onStep(step: StepMessage, sender: Pid): void {
    if (this.#cuts.size === 0) return;
    this.#messageCame(sender, ({ state }) => {
      const recorded = (state?.locks as readonly RecordedLock[] | undefined)?.find(
        ({ lock, run }) => lock === step.lock && run === step.run,
      );
      const algorithm = recorded && this.#context.algorithmOf(recorded.algorithm);
      return algorithm === undefined ? null : tokenIn(step, algorithm, sender, this.#position);
    });
  }

  #messageCame(sender: Pid, tokenOf: (cut: LocalSnapshot<RecordedState, AnyToken>) => AnyToken | null): void {
    for (const [key, cut] of this.#cuts) {
      const token = tokenOf(cut);
      if (token === null) continue;
      chandyLamport.messageCame(cut, sender, token);
      if ((cut.channels[sender]?.length ?? 0) > mostTokens) this.#cuts.delete(key);
    }
  }

  /** Returns false if no working member can have sent the part. */
  onPart(part: AnyPart & { readonly type: string }, sender: Pid): boolean {
    const n = this.#view!.members.length;
    const isOfView = part.type.startsWith('part') === isFlushed(this.#view!);
    if (!isOfView || !part.locks.every((one) => !('root' in one) || one.root < n)) return false;
    if (!part.tokens.every(({ from, to }) => from < n && to < n)) return false;
    const pending = this.#own.get(part.number);
    if (pending === undefined) return true; // it has ended
    if (pending.parts.has(sender)) return false;
    const pieces = pending.pieces.get(sender) ?? { locks: new PieceList(), tokens: new PieceList() };
    pending.pieces.set(sender, pieces);
    if (!pieces.locks.add(part.locks) || !pieces.tokens.add(part.tokens)) return false;
    if (part.type.endsWith('-piece')) return true;
    if (pieces.locks.items.reduce((sum, { waiting }) => sum + waiting, 0) > mostWaiting) return false;
    pending.parts.set(sender, { locks: pieces.locks.items, tokens: pieces.tokens.items });
    if (pending.parts.size === n) pending.end(this.#assembled(pending.parts));
    return true;
  }

  /** Returns null if the snapshot is over. */
  #cutOf(by: Pid, number: number): LocalSnapshot<RecordedState, AnyToken> | null {
    const key = `${by} ${number}`;
    const known = this.#cuts.get(key);
    if (known !== undefined) return known;
    if (number <= (this.#latest.get(by) ?? 0)) return null;
    const cut = nothingRecorded<RecordedState, AnyToken>();
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
    const locks: AnyLock[] = [];
    const tokens: (AnyToken | null)[] = [];
    const isOld = isFlushed(this.#view!);
    for (const lock of this.#context.locks) {
      const { run } = lock;
      if (run === null && (isOld || lock.isIdle)) continue;
      locks.push(isOld ? this.#flushedLock(lock, run!) : this.#recordedLock(lock, run));
      if (run === null) continue;
      const inTransit = (envelope: StepMessage | AlgorithmMessage, from: Pid, to: Pid) =>
        envelope.type === 'run'
          ? this.#flushedToken(envelope, from, to)
          : tokenIn(envelope, run.algorithm, from, to);
      const at = (position: Pid) => this.#positions.get(run.members[position]!) ?? -1;
      for (const { to, envelope } of run.pacedSends) tokens.push(inTransit(envelope, this.#position, at(to)));
      for (const { sender, message } of run.causalInbox?.early ?? [])
        tokens.push(inTransit(message, at(sender), this.#position));
    }
    return {
      locks,
      tokens: tokens.filter((token) => token !== null && token.from >= 0 && token.to >= 0) as AnyToken[],
    };
  }

  #recordedLock(lock: LocalLock<unknown>, run: LockRun | null): RecordedLock {
    const { name, algorithm, isHeld, waiting } = lock;
    const counts = { isHeld, waiting: waiting.length };
    if (run === null || !this.#context.isUsable(lock, run))
      return { lock: name, algorithm, run: 0, size: 0, hasToken: false, ...counts };
    return {
      lock: name,
      algorithm,
      run: run.number,
      size: run.members.length,
      hasToken: run.hasToken,
      ...counts,
    };
  }

  #assembled(parts: ReadonlyMap<Pid, RecordedState>): GroupSnapshot {
    const isOld = isFlushed(this.#view!);
    const records = new Map<string, Map<Pid, AnyLock>>();
    for (const [at, { locks }] of parts)
      for (const part of locks) {
        const key = isOld ? `${part.algorithm} ${part.lock}` : part.lock;
        records.set(key, (records.get(key) ?? new Map()).set(at, part));
      }
    const tokens = [...parts.values()].flatMap((part) => part.tokens);
    const locks = [...records.values()].map((of) =>
      isOld ? this.#flushed(of, tokens) : this.#lock(of, tokens),
    );
    return { epoch: this.#view!.epoch, locks: locks.sort((a, b) => (a.lock < b.lock ? -1 : 1)) };
  }

  /** Of a lock that is started again, members are in different runs. The newest is complete when all its members are in it. */
  #lock(anyOf: ReadonlyMap<Pid, AnyLock>, inTransit: readonly AnyToken[]): LockSnapshot {
    const of = anyOf as ReadonlyMap<Pid, RecordedLock>;
    const records = [...of.values()];
    const newest = records.reduce((best, one) => (one.run > best.run ? one : best));
    const { lock, algorithm, run, size } = newest;
    const isComplete = run > 0 && records.filter((one) => one.run === run).length === size;
    const tokens: TokenLocation[] = [
      ...[...of].flatMap(([at, one]) => (one.run === run && one.hasToken ? [{ at }] : [])),
      ...inTransit
        .filter((token) => token.lock === lock && (token as TokenInTransit).run === run)
        .map(({ from, to }) => ({ from, to })),
    ];
    const hasToken = this.#context.algorithmOf(algorithm)?.token !== undefined;
    return {
      ...{ lock, algorithm, ...holdersAndWaiters(of) },
      tokens: hasToken && isComplete ? tokens : null,
      isStarting: !isComplete,
    };
  }

  // The flush protocol. A member that takes no part in a run of a lock is still in the initial state of the algorithm, and may have the
  // token there.

  #flushedLock(
    { name, algorithm, isHeld, waiting }: LocalLock<unknown>,
    { root, hasToken }: LockRun,
  ): FlushedLock {
    return { lock: name, algorithm, root, isHeld, hasToken, waiting: waiting.length };
  }

  #flushedToken(
    { lock, algorithm: named, message }: AlgorithmMessage,
    from: Pid,
    to: Pid,
  ): FlushedToken | null {
    const algorithm = named ?? this.#context.algorithm;
    const known = this.#context.algorithmOf(algorithm);
    return known !== undefined && carriesToken(known, message) ? { lock, algorithm, from, to } : null;
  }

  #flushed(anyOf: ReadonlyMap<Pid, AnyLock>, inTransit: readonly AnyToken[]): LockSnapshot {
    const of = anyOf as ReadonlyMap<Pid, FlushedLock>;
    const { lock, algorithm, root } = [...of.values()][0]!;
    const isOurs = (token: AnyToken) =>
      token.lock === lock && (token as FlushedToken).algorithm === algorithm;
    const known = this.#context.algorithmOf(algorithm); // undefined: only other members know it
    const network = known && new LockNetwork(known, this.#view!.members.length);
    const idle = [...this.#view!.members.keys()].filter((at) => !of.has(at));
    const tokens: TokenLocation[] = [
      ...[...of].flatMap(([at, { hasToken }]) => (hasToken ? [{ at }] : [])),
      ...idle.filter((at) => network?.beginsWithToken(at, root)).map((at) => ({ at })),
      ...inTransit.filter(isOurs).map(({ from, to }) => ({ from, to })),
    ];
    return {
      ...{ lock, algorithm, ...holdersAndWaiters(of) },
      tokens: known?.token === undefined ? null : tokens,
      isStarting: false,
    };
  }
}

const holdersAndWaiters = (of: ReadonlyMap<Pid, AnyLock>) => ({
  holders: [...of].flatMap(([at, { isHeld }]) => (isHeld ? [at] : [])),
  waiting: [...of].flatMap(([at, { waiting }]) => Array<Pid>(waiting).fill(at)),
});

const tokenIn = (step: StepMessage, algorithm: AnyAlgorithm, from: Pid, to: Pid): TokenInTransit | null =>
  carriesToken(algorithm, step.message) ? { lock: step.lock, run: step.run, from, to } : null;
