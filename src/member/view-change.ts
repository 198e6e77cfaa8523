// Passes the held locks from the old view to the new one: every member flushes to the first member, which then installs the view.
import type { Pid } from '../core/algorithm.ts';
import type { HeldLock, InheritedLock, MemberMessage, ViewMessage } from './member-messages.ts';
import { inPieces, PieceList } from './pieces.ts';
import { fenceOf, type MemberId, type View } from './view.ts';

/** The parts of a member that a change of its view uses. */
export interface ViewChangeContext {
  held(): readonly HeldLock[]; // by this member
  haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean;
  sendTo(to: Pid, message: MemberMessage): void;
  broadcast(message: MemberMessage): void;
  install(held: readonly InheritedLock[]): void;
  claimedTwice(): void; // two members report the same lock
}

type Flush = ViewMessage & { type: 'flush' | 'flush-piece' };
type Install = ViewMessage & { type: 'install' | 'install-piece' };

export class ViewChange {
  readonly #view: View;
  readonly #isFirst: boolean;
  readonly #context: ViewChangeContext;
  readonly #flushes = new Map<MemberId, readonly HeldLock[]>(); // at the first member
  readonly #pieces = new Map<MemberId, PieceList<HeldLock>>(); // of flushes and of the install
  #isFlushed = false; // by this member

  constructor(view: View, isFirst: boolean, context: ViewChangeContext) {
    this.#view = view;
    this.#isFirst = isFirst;
    this.#context = context;
  }

  /** The number of flushes that have arrived. */
  get size(): number {
    return this.#flushes.size;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return {
      flushes: Object.fromEntries(this.#flushes),
      pieces: [...this.#pieces].map(([from, { items }]) => ({ from, items })),
      isFlushed: this.#isFlushed,
    };
  }

  begin(): void {
    if (this.#isFirst) {
      this.#context.broadcast({ type: 'view', epoch: this.#view.epoch });
      this.#flushed(this.#view.members[0]!.id, this.#context.held());
    } else this.#flush(false);
  }

  /** The first member knows the view. */
  firstIsReady(): void {
    if (!this.#isFlushed && !this.#isFirst) this.#flush(true);
  }

  /**
   * Reports the locks that this member holds to the first one. A flush of several pieces waits until that member is known to be ready,
   * because messages for a view that it does not know are limited.
   */
  #flush(isFirstReady: boolean): void {
    const { epoch } = this.#view;
    const pieces = inPieces(this.#context.held());
    if (pieces.length > 1 && !isFirstReady) return;
    this.#isFlushed = true;
    for (const held of pieces.slice(0, -1)) this.#context.sendTo(0, { type: 'flush-piece', epoch, held });
    this.#context.sendTo(0, { type: 'flush', epoch, held: pieces.at(-1)! });
  }

  /** Returns false if no working member can have sent the flush. */
  flushArrived(from: MemberId, { type, held }: Flush): boolean {
    if (!this.#isFirst || this.#flushes.has(from)) return false;
    const all = this.#addPiece(from, held);
    if (type === 'flush-piece' || all === null) return all !== null;
    if (!this.#areDistinct(all)) return false;
    this.#flushed(from, all);
    return true;
  }

  #flushed(from: MemberId, held: readonly HeldLock[]): void {
    const { epoch } = this.#view;
    this.#flushes.set(from, held);
    if (!this.#context.haveFlushed(this.#view, this.#flushes)) return;
    const all = this.#heldByAll();
    const pieces = inPieces(all);
    for (const piece of pieces.slice(0, -1))
      this.#context.broadcast({ type: 'install-piece', epoch, held: piece });
    this.#context.broadcast({ type: 'install', epoch, held: pieces.at(-1)! });
    this.#context.install(all);
  }

  /** If two members claim one lock, the newer fence counts: the install then makes the other member leave the group. */
  #heldByAll(): readonly InheritedLock[] {
    const all = new Map<string, InheritedLock>();
    for (const [by, { id }] of this.#view.members.entries())
      for (const one of this.#flushes.get(id) ?? []) {
        const other = all.get(one.lock);
        if (other !== undefined) this.#context.claimedTwice();
        if (other === undefined || other.fence < one.fence) all.set(one.lock, { ...one, by });
      }
    return [...all.values()];
  }

  /** `from` is the first member. Returns false if no working member can have sent the install. */
  installArrived(from: MemberId, { type, held }: Install): boolean {
    const all = this.#addPiece(from, held);
    if (type === 'install-piece' || all === null) return all !== null;
    const n = this.#view.members.length;
    if (!this.#areDistinct(all) || !all.every(({ by }) => by < n)) return false;
    this.#context.install(all);
    return true;
  }

  /** Returns the list so far; null if it is too long. */
  #addPiece<L extends HeldLock>(from: MemberId, held: readonly L[]): readonly L[] | null {
    const list = (this.#pieces.get(from) ?? new PieceList<L>()) as PieceList<L>;
    this.#pieces.set(from, list as PieceList<HeldLock>);
    return list.add(held) ? list.items : null;
  }

  /** Whether no lock is named twice, and each was granted in an earlier view. */
  #areDistinct(held: readonly HeldLock[]): boolean {
    const first = fenceOf(this.#view.epoch, 0);
    return (
      held.every(({ fence }) => fence < first) && new Set(held.map(({ lock }) => lock)).size === held.length
    );
  }
}
