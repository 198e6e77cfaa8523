import type { Host } from './host.ts';
import { isRunMessage, type MemberMessage } from './member-messages.ts';
import { UnreachablePeers } from './unreachable-peers.ts';
import type { MemberId, View } from './view.ts';

/** The channels of a member to its peers in the view. After messages were lost, those of runs and homes wait for a new epoch. */
export class Channels<R> {
  readonly #host: Host<R>;
  readonly #id: MemberId;
  readonly #broken = new Set<MemberId>(); // in this view
  readonly #unreachable: UnreachablePeers;
  #peers: readonly MemberId[] = [];

  constructor(host: Host<R>, id: MemberId, leaseMs: number) {
    this.#host = host;
    this.#id = id;
    const position = (peer: MemberId) => this.#peers.indexOf(peer);
    this.#unreachable = new UnreachablePeers({
      ...{ host, leaseMs },
      size: () => this.#peers.length,
      isInView: (peer) => position(peer) >= 0,
      isOlder: (peer) => position(peer) < position(id),
    });
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return { brokenChannels: [...this.#broken].sort(), unreachable: this.#unreachable.inspectState() };
  }

  /** Returns the members of the view whose channels were broken in the view before. */
  viewChanged({ members }: View): readonly MemberId[] {
    this.#peers = members.map(({ id }) => id);
    const mended = this.#peers.filter((id) => this.#broken.has(id));
    this.#broken.clear();
    this.#unreachable.viewChanged();
    return mended;
  }

  /** Messages to or from this peer may have been lost. */
  broke(peer: MemberId): void {
    this.#broken.add(peer);
  }

  isBroken(peer: MemberId): boolean {
    return this.#broken.has(peer);
  }

  unreachable(peer: MemberId): void {
    this.#unreachable.add(peer);
  }

  heard(peer: MemberId): void {
    this.#unreachable.heard(peer);
  }

  send(to: MemberId, message: MemberMessage): void {
    if (!this.#broken.has(to) || !isRunMessage(message)) this.#host.send(to, message);
  }

  broadcast(message: MemberMessage): void {
    for (const id of this.#peers) if (id !== this.#id) this.send(id, message);
  }
}
