// A transport over streams. A connection carries frames of who opened it only, so that two members that call each other at once
// have nothing to settle.
import type { Server, Socket } from 'node:net';
import type { MemberId, Peer } from '../../member/index.ts';
import { versions } from './frames.ts';
import { accept, type Doorkeeper } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import { probe, type Way } from './probe.ts';
import type { Closing, Frame, Listener, Refusal, Transport } from './transport.ts';

export interface StreamOptions {
  readonly group: string;
  readonly id: MemberId;
  readonly listener: Listener;
}

/** How streams are had. */
export interface Medium {
  readonly address: string;
  readonly server: Server; // listens already
  dial(address: string): Socket;
  /** Whether who was dialled is dead for certain. */
  isDead(error: NodeJS.ErrnoException): boolean;
}

/** What there is between us and one other. */
interface Link {
  readonly id: MemberId;
  address: string | null;
  outgoing: Outgoing | null;
  incoming: Socket | null;
  stopProbe: (() => void) | null; // something was lost: we ask whether its process lives, before we tell
  isDead: boolean;
}

export class StreamTransport implements Transport, Doorkeeper {
  readonly address: string;
  readonly group: string;
  readonly id: MemberId;
  readonly #listener: Listener;
  readonly #medium: Medium;
  readonly #links = new Map<MemberId, Link>();
  readonly #unaccepted = new Set<Socket>(); // have not said who they are
  #kept: ReadonlySet<MemberId> = new Set();
  #dirty: Outgoing[] = [];
  #ownFrames: Frame[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor({ group, id, listener }: StreamOptions, medium: Medium) {
    this.address = medium.address;
    this.group = group;
    this.id = id;
    this.#listener = listener;
    this.#medium = medium;
    medium.server.on('error', () => {}); // out of descriptors: who dials will try again
    medium.server.on('connection', (socket) => {
      this.#unaccepted.add(socket);
      socket.on('close', () => this.#unaccepted.delete(socket));
      accept(socket, this);
    });
  }

  send(to: Peer, frame: Frame): void {
    if (this.#isClosed) return;
    if (to.id === this.id) this.#ownFrames.push(frame);
    else {
      const link = this.#link(to.id);
      link.address = to.address;
      if (link.isDead || (link.outgoing === null && link.stopProbe !== null)) return; // lost, as will be told or was
      link.outgoing ??= this.#dial(link, to.address);
      link.outgoing.add(frame);
      if (link.outgoing.isDirty) return;
      link.outgoing.isDirty = true;
      this.#dirty.push(link.outgoing);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => this.#turn());
  }

  keep(peers: readonly Peer[]): void {
    const before = this.#kept;
    this.#kept = new Set(peers.map(({ id }) => id));
    for (const { id, address } of peers) if (id !== this.id) this.#link(id).address = address;
    for (const [id, link] of this.#links) if (before.has(id) && !this.#kept.has(id)) this.#drop(link);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { server } = this.#medium;
    const closed = new Promise<void>((resolve) => server.close(() => resolve())); // unlinks the path, so that peers see that we are gone
    for (const socket of this.#unaccepted) socket.destroy();
    await Promise.all([closed, ...[...this.#links.values()].map((link) => this.#drop(link))]);
  }

  // What comes in.

  greeted(socket: Socket, from: MemberId): boolean {
    const link = this.#link(from);
    if (link.isDead) return false;
    this.#unaccepted.delete(socket);
    const before = link.incoming;
    link.incoming = socket;
    before?.destroy();
    if (before !== null || link.stopProbe !== null) this.#lives(link); // and began anew: what it said in between may be lost
    return true;
  }

  received(from: MemberId, frame: Frame): void {
    this.#listener.received(from, frame);
  }

  refused(why: Refusal): void {
    if (!this.#isClosed) this.#listener.refused(why);
  }

  ended(socket: Socket, from: MemberId): void {
    const link = this.#links.get(from);
    if (this.#isClosed || link?.incoming !== socket) return;
    link.incoming = null;
    if (link.isDead) this.#tell(link, 'dead');
    else this.#lost(link);
  }

  // What goes out.

  #turn(): void {
    this.#isScheduled = false;
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const outgoing of dirty) {
      outgoing.isDirty = false;
      outgoing.flush();
    }
    const own = this.#ownFrames;
    this.#ownFrames = [];
    for (const frame of own) if (!this.#isClosed) this.#listener.received(this.id, frame);
  }

  #dial(link: Link, address: string): Outgoing {
    const hello = { ...versions, group: this.group, from: this.id, to: link.id };
    return new Outgoing(
      () => this.#medium.dial(address),
      hello,
      (error) => this.#ended(link, error),
    );
  }

  #way(address: string): Way {
    return { dial: () => this.#medium.dial(address), isDead: (error) => this.#medium.isDead(error) };
  }

  #ended(link: Link, error: NodeJS.ErrnoException | null): void {
    link.outgoing = null;
    if (error !== null && this.#medium.isDead(error)) this.#dead(link);
    else this.#lost(link);
  }

  /** Something between us broke. Before we tell, we find out whether the other one lives. */
  #lost(link: Link): void {
    const { address } = link;
    if (link.stopProbe !== null || link.isDead) return;
    if (address === null) this.#tell(link, 'broken');
    else
      link.stopProbe = probe(this.#way(address), (isDead) => {
        if (isDead) this.#dead(link);
        else this.#lives(link);
      });
  }

  #lives(link: Link): void {
    link.stopProbe?.();
    link.stopProbe = null;
    this.#tell(link, 'broken');
  }

  #dead(link: Link): void {
    link.stopProbe?.();
    link.stopProbe = null;
    link.outgoing?.destroy();
    link.outgoing = null;
    link.isDead = true;
    if (link.incoming === null) this.#tell(link, 'dead'); // otherwise what it said before comes first; its end is sure to follow
  }

  #tell(link: Link, why: Closing): void {
    if (!this.#kept.has(link.id) && link.outgoing === null && link.incoming === null)
      this.#links.delete(link.id);
    this.#listener.closed(link.id, why);
  }

  async #drop(link: Link): Promise<void> {
    this.#links.delete(link.id);
    link.stopProbe?.();
    const { incoming, outgoing } = link;
    link.incoming = null;
    incoming?.destroy();
    await outgoing?.quit();
  }

  #link(id: MemberId): Link {
    let link = this.#links.get(id);
    if (link === undefined) {
      link = {
        id,
        address: null,
        outgoing: null,
        incoming: null,
        stopProbe: null,
        isDead: false,
      };
      this.#links.set(id, link);
    }
    return link;
  }
}
