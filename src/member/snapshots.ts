// Snapshots of a group while it works: the rules of Chandy and Lamport between the members of one view, along the channels on which the
// words of locks go. What a member records is who holds each lock, and where tokens are. A member that has no part in a run is as it
// would begin, and the token may be there.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import type { TokenPlace } from '../core/world.ts';
import { type Cut, chandyLamport, isComplete, nothing, type Recorder } from '../snapshot/chandy-lamport.ts';
import { Layout } from './layout.ts';
import type { Locks } from './locks.ts';
import type { View } from './view.ts';
import type { LockPart, RunWord, TokenOnItsWay, ViewWord, Word } from './words.ts';

/** One lock in one state in which the group could have been. Members are positions in the view. */
export interface LockSnapshot {
  readonly lock: string;
  readonly algorithm: string;
  readonly holders: readonly Pid[]; // one at most, or something is wrong
  readonly waiting: readonly Pid[]; // each as often as somebody waits there
  readonly tokens: readonly TokenPlace[] | null; // one, or something is wrong; null: the algorithm has none
}

export type GroupSnapshot =
  | { readonly epoch: number; readonly locks: readonly LockSnapshot[] }
  | { readonly failed: string }; // why, as a sentence

type State = { readonly locks: readonly LockPart[]; readonly tokens: readonly TokenOnItsWay[] };
type Part = ViewWord & { type: 'part' };

const forgetMs = 10_000; // until one that was not completed is given up

/** What it needs of the member it belongs to. */
interface Surroundings {
  readonly locks: Pick<Locks<unknown>, typeof Symbol.iterator>;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly algorithm: string; // of the group
  say(to: Pid, word: Word): void;
  after(milliseconds: number, task: () => void): () => void;
}

interface Begun {
  readonly parts: Map<Pid, Part>;
  readonly end: (snapshot: GroupSnapshot) => void;
}

export class Snapshots {
  readonly #around: Surroundings;
  #view: View | null = null;
  #position: Pid = -1;
  #begun = 0; // by this member
  readonly #cuts = new Map<string, Cut<State, TokenOnItsWay>>(); // by who began it, and number
  readonly #own = new Map<number, Begun>();
  readonly #latest = new Map<Pid, number>(); // of each who began some: markers of earlier ones that are over come too late

  constructor(around: Surroundings) {
    this.#around = around;
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
    this.#begun += 1;
    const number = this.#begun;
    const parts = new Map<Pid, Part>();
    const end = (snapshot: GroupSnapshot) => {
      cancel();
      this.#own.delete(number);
      this.#cuts.delete(`${this.#position} ${number}`);
      done(snapshot);
    };
    const cancel = this.#around.after(milliseconds, () => end(this.#late(parts, milliseconds)));
    this.#own.set(number, { parts, end });
    chandyLamport.record(this.#cutOf(this.#position, number)!, this.#recorder(this.#position, number));
  }

  #late(parts: ReadonlyMap<Pid, Part>, milliseconds: number): GroupSnapshot {
    const silent = this.#view!.members.filter((_, i) => !parts.has(i)).map(({ label, id }) => label || id);
    const why = 'does not answer, cannot reach another one, or is of a version without snapshots';
    return { failed: `within ${milliseconds} ms nothing came from ${silent.join(', ')}, which ${why}` };
  }

  // Words.

  markerCame({ by, number }: ViewWord & { type: 'marker' }, sender: Pid): void {
    const cut = this.#cutOf(by, number);
    if (cut === null) return;
    chandyLamport.markerCame(cut, sender, this.#recorder(by, number));
    if (!isComplete(cut)) return;
    this.#cuts.delete(`${by} ${number}`);
    const { locks, tokens } = cut.state!;
    const recorded = [...tokens, ...Object.values(cut.channels).flat()];
    this.#around.say(by, { type: 'part', epoch: this.#view!.epoch, number, locks, tokens: recorded });
  }

  /** Before it is handled. */
  runWordCame(word: RunWord, sender: Pid): void {
    if (this.#cuts.size === 0) return;
    const token = this.#tokenIn(word, sender, this.#position);
    if (token !== null) for (const cut of this.#cuts.values()) chandyLamport.messageCame(cut, sender, token);
  }

  partCame(part: Part, sender: Pid): void {
    const begun = this.#own.get(part.number);
    begun?.parts.set(sender, part);
    if (begun?.parts.size === this.#view!.members.length) begun.end(this.#assembled(begun.parts));
  }

  /** Null if it is over. */
  #cutOf(by: Pid, number: number): Cut<State, TokenOnItsWay> | null {
    const key = `${by} ${number}`;
    const known = this.#cuts.get(key);
    if (known !== undefined) return known;
    if (number <= (this.#latest.get(by) ?? 0)) return null;
    const cut = nothing<State, TokenOnItsWay>();
    this.#latest.set(by, number);
    this.#cuts.set(key, cut);
    this.#around.after(forgetMs, () => {
      if (this.#cuts.get(key) === cut) this.#cuts.delete(key);
    });
    return cut;
  }

  /** Everybody has a channel to everybody, and who is alone on a ring one to itself. */
  #recorder(by: Pid, number: number): Recorder<State, Pid> {
    const { epoch, members } = this.#view!;
    return {
      incoming: members.length,
      outgoing: [...members.keys()],
      state: () => this.#state(),
      sendMarker: (to) => this.#around.say(to, { type: 'marker', epoch, by, number }),
    };
  }

  #state(): State {
    const locks: LockPart[] = [];
    const tokens: (TokenOnItsWay | null)[] = [];
    for (const { name: lock, algorithm, run, isHeld, waiting } of this.#around.locks) {
      if (run === null) continue;
      const { root, hasToken } = run;
      locks.push({ lock, algorithm, root, isHeld, hasToken, waiting: waiting.length });
      for (const { to, word } of run.heldBack) tokens.push(this.#tokenIn(word, this.#position, to));
      for (const { sender, message: word } of run.order?.early ?? [])
        tokens.push(this.#tokenIn(word, sender, this.#position));
    }
    return { locks, tokens: tokens.filter((token) => token !== null) };
  }

  #tokenIn({ lock, algorithm: named, message }: RunWord, from: Pid, to: Pid): TokenOnItsWay | null {
    const algorithm = named ?? this.#around.algorithm;
    const isToken = this.#around.algorithmOf(algorithm)?.token?.isIn(message) ?? false;
    return isToken ? { lock, algorithm, from, to } : null;
  }

  #assembled(parts: ReadonlyMap<Pid, Part>): GroupSnapshot {
    const runs = new Map<string, Map<Pid, LockPart>>();
    for (const [at, { locks }] of parts)
      for (const part of locks) {
        const key = `${part.algorithm} ${part.lock}`;
        runs.set(key, (runs.get(key) ?? new Map()).set(at, part));
      }
    const tokens = [...parts.values()].flatMap((part) => part.tokens);
    const locks = [...runs.values()].map((run) => this.#lock(run, tokens));
    return { epoch: this.#view!.epoch, locks: locks.sort((a, b) => (a.lock < b.lock ? -1 : 1)) };
  }

  #lock(run: ReadonlyMap<Pid, LockPart>, onTheirWay: readonly TokenOnItsWay[]): LockSnapshot {
    const { lock, algorithm, root } = [...run.values()][0]!;
    const where = (is: (part: LockPart) => boolean) =>
      [...run].flatMap(([at, part]) => (is(part) ? [at] : []));
    const isOurs = (token: TokenOnItsWay) => token.lock === lock && token.algorithm === algorithm;
    const known = this.#around.algorithmOf(algorithm)!;
    const layout = new Layout(known, this.#view!.members.length);
    const idle = [...this.#view!.members.keys()].filter((at) => !run.has(at));
    const tokens: TokenPlace[] = [
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
