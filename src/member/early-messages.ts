import type { MemberMessage } from './member-messages.ts';
import { retainedBytes } from './retained-bytes.ts';
import type { MemberId, View } from './view.ts';

// Bytes, as estimated.
const mostPerPeer = 2 ** 20; // of a peer in the view; also of all other peers together
const mostInAll = 2 ** 23;
const mostGaps = 2000; // peers to remember: more than a view has members

/** Counts what is kept for each peer. */
export class MemoryBudget<P> {
  readonly #byPeer = new Map<P, number>();
  #total = 0;

  /** Returns false, and counts nothing, if there is no room. */
  take(peer: P, bytes: number): boolean {
    const taken = (this.#byPeer.get(peer) ?? 0) + bytes;
    if (taken > mostPerPeer || this.#total + bytes > mostInAll) return false;
    this.#byPeer.set(peer, taken);
    this.#total += bytes;
    return true;
  }

  give(peer: P, bytes: number): void {
    this.#byPeer.set(peer, this.#byPeer.get(peer)! - bytes);
    this.#total -= bytes;
  }
}

interface EarlyMessage {
  readonly from: MemberId;
  readonly message: MemberMessage;
  readonly epoch: number; // of the view that it is for
  readonly bytes: number;
  readonly views: number; // that this member had seen when the message arrived
}

const others = Symbol('peers that are not in the view');

/** Messages for a view that is not installed yet, limited in bytes. After a message was dropped, so are all later ones of that peer. */
export class EarlyMessages {
  #messages: EarlyMessage[] = [];
  #budget = new MemoryBudget<MemberId | typeof others>();
  readonly #gaps = new Map<MemberId, { readonly low: number; readonly high: number }>(); // the epochs of dropped messages
  #isMember: (id: MemberId) => boolean = () => false;
  #views = 0;

  get size(): number {
    return this.#messages.length;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return {
      messages: this.#messages.map(({ from, message, epoch, views }) => {
        const isOfThisView = views === this.#views;
        return { from, message, epoch, isOfThisView };
      }),
      gaps: [...this.#gaps].map(([from, { low, high }]) => ({ from, low, high })),
    };
  }

  /** Returns false if the message is dropped. */
  add(from: MemberId, message: MemberMessage, epoch: number): boolean {
    const bytes = retainedBytes(message);
    const isKept = !this.#gaps.has(from) && this.#budget.take(this.#payer(from), bytes);
    if (isKept) this.#messages.push({ from, message, epoch, bytes, views: this.#views });
    else this.#noteGap(from, epoch);
    return isKept;
  }

  /** Removes and returns the messages for views up to this epoch. */
  take(upTo: number): readonly EarlyMessage[] {
    const due = this.#messages.filter(({ epoch }) => epoch <= upTo);
    if (due.length > 0) this.#keep(({ epoch }) => epoch > upTo);
    return due;
  }

  /**
   * A new view began. What came before the previous one from peers that are in neither is dropped, and noted, as such a peer may be in a
   * later view. Returns the members of which messages for this view may have been dropped.
   */
  viewChanged({ epoch: now, members }: View): readonly MemberId[] {
    const ids = new Set(members.map(({ id }) => id));
    this.#isMember = (id) => ids.has(id);
    const isKept = ({ from, views }: EarlyMessage) => ids.has(from) || views === this.#views;
    for (const one of this.#messages) if (!isKept(one) && one.epoch > now) this.#noteGap(one.from, one.epoch);
    this.#keep(isKept);
    this.#views += 1;
    const broken = [...ids].filter((id) => (this.#gaps.get(id)?.low ?? Infinity) <= now);
    for (const [id, { high }] of this.#gaps) if (high <= now) this.#gaps.delete(id);
    return broken;
  }

  /** Forgets the oldest gap if there are too many: only members of a view matter, and those are fewer. */
  #noteGap(from: MemberId, epoch: number): void {
    const { low, high } = this.#gaps.get(from) ?? { low: epoch, high: epoch };
    this.#gaps.set(from, { low: Math.min(low, epoch), high: Math.max(high, epoch) });
    if (this.#gaps.size <= mostGaps) return;
    const [spare] = [...this.#gaps.keys()].filter((id) => !this.#isMember(id));
    if (spare !== undefined) this.#gaps.delete(spare);
  }

  #keep(isKept: (one: EarlyMessage) => boolean): void {
    this.#messages = this.#messages.filter(isKept);
    this.#budget = new MemoryBudget();
    for (const { from, bytes } of this.#messages) this.#budget.take(this.#payer(from), bytes);
  }

  #payer(from: MemberId): MemberId | typeof others {
    return this.#isMember(from) ? from : others;
  }
}
