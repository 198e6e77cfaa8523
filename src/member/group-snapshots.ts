// Snapshots of a group while it works: the rules of Chandy and Lamport between the members of one view, along the channels on which the
// words of locks go. What a member records is who holds each lock, and where tokens are. A member that has no part in a run is as it
// would begin, and the token may be there.

import {
  chandyLamport,
  isComplete,
  type LocalSnapshot,
  nothingRecorded,
  type RecordingProcess,
} from '../compositions/chandy-lamport.ts';
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import type { TokenLocation } from '../core/world-queries.ts';
import { LockNetwork } from './lock-network.ts';
import type { LockTable } from './lock-table.ts';
import type {
  AlgorithmMessage,
  MemberMessage,
  RecordedLock,
  TokenInTransit,
  ViewMessage,
} from './member-messages.ts';
import type { View } from './view.ts';

/** One lock in one state in which the group could have been. Members are positions in the view. */
export interface LockSnapshot {
  readonly lock: string;
  readonly algorithm: string;
  readonly holders: readonly Pid[]; // one at most, or something is wrong
  readonly waiting: readonly Pid[]; // each as often as somebody waits there
  readonly tokens: readonly TokenLocation[] | null; // one, or something is wrong; null: the algorithm has none
}

export type GroupSnapshot =
  | { readonly epoch: number; readonly locks: readonly LockSnapshot[] }
  | { readonly failed: string }; // why, as a sentence

type RecordedState = { readonly locks: readonly RecordedLock[]; readonly tokens: readonly TokenInTransit[] };
type SnapshotPart = ViewMessage & { type: 'part' };

const forgetMs = 10_000; // until one that was not completed is given up

/** What it needs of the member it belongs to. */
interface SnapshotContext {
  readonly locks: Pick<LockTable<unknown>, typeof Symbol.iterator>;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly algorithm: string; // of the group
  sendTo(to: Pid, word: MemberMessage): void;
  after(milliseconds: number, task: () => void): () => void;
}

interface PendingSnapshot {
  readonly parts: Map<Pid, SnapshotPart>;
  readonly end: (snapshot: GroupSnapshot) => void;
}

export class GroupSnapshots {
  readonly #context: SnapshotContext;
  #view: View | null = null;
  #position: Pid = -1;
  #started = 0; // by this member
  readonly #cuts = new Map<string, LocalSnapshot<RecordedState, TokenInTransit>>(); // by who began it, and number
  readonly #own = new Map<number, PendingSnapshot>();
  readonly #latest = new Map<Pid, number>(); // of each who began some: markers of earlier ones that are over come too late

  constructor(around: SnapshotContext) {
    this.#context = around;
  }

  /** That are under way. */
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

  /** Records a state of the whole group and tells it, or why there is none after so long. */
  take(milliseconds: number, done: (snapshot: GroupSnapshot) => void): void {
    if (this.#view === null) {
      done({ failed: 'the view is changing' });
      return;
    }
    this.#started += 1;
    const number = this.#started;
    const parts = new Map<Pid, SnapshotPart>();
    const end = (snapshot: GroupSnapshot) => {
      cancel();
      this.#own.delete(number);
      this.#cuts.delete(`${this.#position} ${number}`);
      done(snapshot);
    };
    const cancel = this.#context.after(milliseconds, () => end(this.#timedOut(parts, milliseconds)));
    this.#own.set(number, { parts, end });
    chandyLamport.record(this.#cutOf(this.#position, number)!, this.#recorder(this.#position, number));
  }

  #timedOut(parts: ReadonlyMap<Pid, SnapshotPart>, milliseconds: number): GroupSnapshot {
    const silent = this.#view!.members.filter((_, i) => !parts.has(i)).map(({ label, id }) => label || id);
    const why = 'does not answer, cannot reach another one, or is of a version without snapshots';
    return { failed: `within ${milliseconds} ms nothing came from ${silent.join(', ')}, which ${why}` };
  }

  // Words.

  onMarker({ by, number }: ViewMessage & { type: 'marker' }, sender: Pid): void {
    const cut = this.#cutOf(by, number);
    if (cut === null) return;
    chandyLamport.markerCame(cut, sender, this.#recorder(by, number));
    if (!isComplete(cut)) return;
    this.#cuts.delete(`${by} ${number}`);
    const { locks, tokens } = cut.state!;
    const recorded = [...tokens, ...Object.values(cut.channels).flat()];
    this.#context.sendTo(by, { type: 'part', epoch: this.#view!.epoch, number, locks, tokens: recorded });
  }

  /** Before it is handled. */
  onAlgorithmMessage(word: AlgorithmMessage, sender: Pid): void {
    if (this.#cuts.size === 0) return;
    const token = this.#tokenIn(word, sender, this.#position);
    if (token !== null) for (const cut of this.#cuts.values()) chandyLamport.messageCame(cut, sender, token);
  }

  onPart(part: SnapshotPart, sender: Pid): void {
    const begun = this.#own.get(part.number);
    begun?.parts.set(sender, part);
    if (begun?.parts.size === this.#view!.members.length) begun.end(this.#assembled(begun.parts));
  }

  /** Null if it is over. */
  #cutOf(by: Pid, number: number): LocalSnapshot<RecordedState, TokenInTransit> | null {
    const key = `${by} ${number}`;
    const known = this.#cuts.get(key);
    if (known !== undefined) return known;
    if (number <= (this.#latest.get(by) ?? 0)) return null;
    const cut = nothingRecorded<RecordedState, TokenInTransit>();
    this.#latest.set(by, number);
    this.#cuts.set(key, cut);
    this.#context.after(forgetMs, () => {
      if (this.#cuts.get(key) === cut) this.#cuts.delete(key);
    });
    return cut;
  }

  /** Everybody has a channel to everybody, and who is alone on a ring one to itself. */
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
      for (const { to, word } of run.pacedSends) tokens.push(this.#tokenIn(word, this.#position, to));
      for (const { sender, message: word } of run.causalInbox?.early ?? [])
        tokens.push(this.#tokenIn(word, sender, this.#position));
    }
    return { locks, tokens: tokens.filter((token) => token !== null) };
  }

  #tokenIn({ lock, algorithm: named, message }: AlgorithmMessage, from: Pid, to: Pid): TokenInTransit | null {
    const algorithm = named ?? this.#context.algorithm;
    const isToken = this.#context.algorithmOf(algorithm)?.token?.isIn(message) ?? false;
    return isToken ? { lock, algorithm, from, to } : null;
  }

  #assembled(parts: ReadonlyMap<Pid, SnapshotPart>): GroupSnapshot {
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

  #lock(run: ReadonlyMap<Pid, RecordedLock>, onTheirWay: readonly TokenInTransit[]): LockSnapshot {
    const { lock, algorithm, root } = [...run.values()][0]!;
    const where = (is: (part: RecordedLock) => boolean) =>
      [...run].flatMap(([at, part]) => (is(part) ? [at] : []));
    const isOurs = (token: TokenInTransit) => token.lock === lock && token.algorithm === algorithm;
    const known = this.#context.algorithmOf(algorithm)!;
    const layout = new LockNetwork(known, this.#view!.members.length);
    const idle = [...this.#view!.members.keys()].filter((at) => !run.has(at));
    const tokens: TokenLocation[] = [
      ...where(({ hasToken }) => hasToken).map((at) => ({ at })),
      ...idle.filter((at) => layout.beginsWithToken(at, root)).map((at) => ({ at })),
      ...onTheirWay.filter(isOurs).map(({ from, to }) => ({ from, to })),
    ];
    return {
      lock,
      algorithm,
      holders: where(({ isHeld }) => isHeld),
      waiting: [...run].flatMap(([at, { waiting }]) => Array<Pid>(waiting).fill(at)),
      tokens: known.token === undefined ? null : tokens,
    };
  }
}
