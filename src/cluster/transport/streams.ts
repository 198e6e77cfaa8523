// A transport over streams. A connection carries frames of who opened it only, so that two members that call each other at once
// have nothing to settle.
import type { Server, Socket } from 'node:net';
import type { MemberId, Peer } from '../../member/index.ts';
import { versions } from './frames.ts';
import { accept, type Doorkeeper } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import type { Frame, Listener, Refusal, Transport } from './transport.ts';

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

const dyingMs = 20; // a process that is being killed may let others in for a moment after its connections are gone

/** What there is between us and one other. */
interface Link {
  readonly id: MemberId;
  address: string | null;
  outgoing: Outgoing | null;
  incoming: Socket | null;
  probe: Outgoing | null; // something was lost: asks whether its process lives, before we tell
  hasAnswered: boolean; // the probe was let in
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
      if (link.isDead || (link.outgoing === null && link.probe !== null)) return; // lost, as will be told or was
      link.outgoing ??= this.#dial(link, to.address);
      link.outgoing.add(frame);
      if (link.outgoing.isDirty) return;
      link.outgoing.isDirty = true;
      this.#dirty.push(link.outgoing);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
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
    if (before !== null || link.probe !== null) this.#lives(link); // and began anew: what it said in between may be lost
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
    if (link.isDead) this.#tell(link, true);
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
    const outgoing: Outgoing = new Outgoing(() => this.#medium.dial(address), hello, {
      opened: () => this.#opened(link, outgoing),
      ended: (error) => this.#ended(link, outgoing, error),
    });
    return outgoing;
  }

  #opened(link: Link, outgoing: Outgoing): void {
    if (link.probe !== outgoing) {
      outgoing.flush();
      return;
    }
    link.hasAnswered = true;
    setTimeout(() => {
      if (link.probe === outgoing) this.#lives(link);
    }, dyingMs);
  }

  #ended(link: Link, outgoing: Outgoing, error: NodeJS.ErrnoException | null): void {
    const wasProbe = link.probe === outgoing;
    if (wasProbe) link.probe = null;
    if (link.outgoing === outgoing) link.outgoing = null;
    if (error !== null && this.#medium.isDead(error)) this.#dead(link);
    else if (wasProbe && !link.hasAnswered) this.#tell(link, false);
    else this.#lost(link);
  }

  /** Something between us broke. Before we tell, we find out whether the other one lives. */
  #lost(link: Link): void {
    if (link.probe !== null || link.isDead) return;
    link.hasAnswered = false;
    if (link.address === null) this.#tell(link, false);
    else link.probe = this.#dial(link, link.address);
  }

  #lives(link: Link): void {
    const { probe } = link;
    link.probe = null;
    if (probe !== null && link.hasAnswered && link.outgoing === null) {
      link.outgoing = probe;
      probe.flush();
    } else probe?.destroy();
    this.#tell(link, false);
  }

  #dead(link: Link): void {
    link.probe?.destroy();
    link.probe = null;
    link.outgoing?.destroy();
    link.outgoing = null;
    link.isDead = true;
    if (link.incoming === null) this.#tell(link, true); // otherwise what it said before comes first; its end is sure to follow
  }

  #tell(link: Link, isDead: boolean): void {
    if (!this.#kept.has(link.id) && link.outgoing === null && link.incoming === null)
      this.#links.delete(link.id);
    this.#listener.closed(link.id, isDead);
  }

  async #drop(link: Link): Promise<void> {
    this.#links.delete(link.id);
    link.probe?.destroy();
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
        probe: null,
        hasAnswered: false,
        isDead: false,
      };
      this.#links.set(id, link);
    }
    return link;
  }
}
