import type { Host } from './host.ts';
import type { MemberId } from './view.ts';

/** The parts of a member that depend on which peers it reaches. */
export interface UnreachablePeersContext {
  readonly host: Pick<Host<never>, 'after' | 'send' | 'memberOut'>;
  readonly leaseMs: number;
  size(): number; // of the view
  isInView(peer: MemberId): boolean;
  isOlder(peer: MemberId): boolean; // than this member
}

/**
 * Peers that have not been heard since the transport failed to reach them. If two live members cannot reach each other, one leaves, and rejoins
 * when it reaches everybody:
 *
 * 1. after half a lease, a member that cannot reach more than half of the view;
 * 2. after one lease, the younger of the two: by then, a member that only hangs has been removed;
 * 3. after two leases, the older, in case the younger does not notice.
 */
export class UnreachablePeers {
  readonly #outages = new Map<MemberId, object>(); // the object identifies the outage
  readonly #context: UnreachablePeersContext;

  constructor(context: UnreachablePeersContext) {
    this.#context = context;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return [...this.#outages.keys()].sort();
  }

  heard(peer: MemberId): void {
    this.#outages.delete(peer);
  }

  viewChanged(): void {
    for (const id of this.#outages.keys()) if (!this.#context.isInView(id)) this.#outages.delete(id);
  }

  add(peer: MemberId): void {
    if (this.#outages.has(peer)) return;
    const { host, leaseMs } = this.#context;
    const outage = {};
    this.#outages.set(peer, outage);
    const unlessHeard = (milliseconds: number, then: () => void) =>
      host.after(milliseconds, () => {
        if (this.#outages.get(peer) === outage && this.#context.isInView(peer)) then();
      });
    const hail = () => {
      host.send(peer, { type: 'hail', isAnswer: false });
      unlessHeard(leaseMs / 5, hail);
    };
    const leaveIf = (mustLeave: () => boolean) => () => {
      if (mustLeave()) host.memberOut('cut off');
    };
    unlessHeard(leaseMs / 5, hail);
    unlessHeard(
      leaseMs / 2,
      leaveIf(() => 2 * this.#outages.size > this.#context.size()),
    );
    unlessHeard(
      leaseMs,
      leaveIf(() => this.#context.isOlder(peer)),
    );
    unlessHeard(
      2 * leaseMs,
      leaveIf(() => true),
    );
  }
}
