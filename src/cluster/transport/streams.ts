// A transport over streams. A connection carries frames of who opened it only, so that two members that call each other at once
// have nothing to settle.
import type { Server, Socket } from 'node:net';
import type { MemberId, Peer } from '../../member/index.ts';
import { type Formats, formats, type Hello, versionsOf } from './frames.ts';
import { type Doorkeeper, type Heard, Incoming } from './incoming.ts';
import type { Destination, Outgoing } from './outgoing.ts';
import type { Closing, Frame, Listener, Refusal, Transport } from './transport.ts';

export interface StreamOptions {
  readonly group: string;
  readonly id: MemberId;
  readonly listener: Listener;
  readonly formats?: Formats; // other than those of today
}

/** What there is between us and one other. */
export interface Link {
  readonly id: MemberId;
  address: string | null;
  outgoing: Outgoing | null;
  incoming: Socket | null;
  isDead: boolean;
}

const bareLink = (id: MemberId): Link => ({
  id,
  address: null,
  outgoing: null,
  incoming: null,
  isDead: false,
});

/** What is common to all streams. Media differ in what it means that a connection is gone. */
export abstract class StreamTransport<L extends Link> implements Transport, Doorkeeper {
  abstract readonly helloMs: number;
  readonly address: string;
  readonly group: string;
  readonly id: MemberId;
  readonly formats: Formats;
  protected isClosed = false;
  protected kept: ReadonlySet<MemberId> = new Set();
  readonly #listener: Listener;
  readonly #server: Server;
  readonly #links = new Map<MemberId, L>();
  readonly #callers = new Set<Socket>(); // connections that others have opened
  #known = 0; // of these, how many have said who they are
  #dirty: Outgoing[] = [];
  #ownFrames: Frame[] = [];
  #isScheduled = false;

  /** The server listens already. */
  constructor(options: StreamOptions, server: Server, address: string) {
    this.address = address;
    this.group = options.group;
    this.id = options.id;
    this.formats = options.formats ?? formats;
    this.#listener = options.listener;
    this.#server = server;
    server.on('error', () => {}); // out of descriptors: who dials will try again
    server.on('connection', (socket) => {
      this.#callers.add(socket);
      socket.on('close', () => this.#callers.delete(socket));
    });
  }

  protected abstract newLink(bare: Link): L;
  /** A way to the other one, started. */
  protected abstract open(link: L, to: Destination): L['outgoing'];
  /** The other one has opened a connection, in place of another one if `isAgain`. Null: nothing more is wanted. */
  protected abstract came(link: L, hello: Hello, isAgain: boolean): Heard | null;
  /** The connection that the other one had opened is over. */
  protected abstract went(link: L, isByPeer: boolean): void;
  protected abstract dial(address: string): Socket;

  send(to: Peer, frame: Frame): void {
    if (this.isClosed) return;
    if (to.id === this.id) this.#ownFrames.push(frame);
    else {
      const link = this.link(to.id);
      link.address = to.address;
      if (this.isDeaf(link)) return;
      const outgoing = link.outgoing ?? this.call(link, to.address);
      outgoing.add(frame);
      if (outgoing.isDirty) return;
      outgoing.isDirty = true;
      this.#dirty.push(outgoing);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(this.#turn);
  }

  keep(peers: readonly Peer[]): void {
    const before = this.kept;
    this.kept = new Set(peers.map(({ id }) => id));
    for (const { id, address } of peers) if (id !== this.id) this.link(id).address = address;
    for (const [id, link] of this.#links) if (before.has(id) && !this.kept.has(id)) this.drop(link);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve())); // so that peers see that we are gone
    for (const socket of this.#callers) socket.destroy();
    await Promise.all([closed, ...[...this.#links.values()].map((link) => this.drop(link))]);
  }

  // What comes in.

  /** How many have called and not said who they are. */
  protected get strangers(): number {
    return this.#callers.size - this.#known;
  }

  protected accept(socket: Socket): void {
    new Incoming(socket, this);
  }

  greeted(socket: Socket, hello: Hello): Heard | null {
    const link = this.link(hello.from);
    if (link.isDead) {
      this.refused('stranger');
      return null;
    }
    const before = link.incoming;
    link.incoming = socket;
    const heard = this.came(link, hello, before !== null);
    if (heard === null) {
      link.incoming = before;
      this.forget(link);
    } else {
      this.#known += 1;
      before?.destroy();
    }
    return heard;
  }

  received(from: MemberId, frame: Frame): void {
    this.#listener.received(from, frame);
  }

  refused(why: Refusal): void {
    if (!this.isClosed) this.#listener.refused(why);
  }

  ended(socket: Socket, from: MemberId, isByPeer: boolean): void {
    this.#known -= 1;
    const link = this.#links.get(from);
    if (this.isClosed || link?.incoming !== socket) return;
    link.incoming = null;
    if (link.isDead) this.tell(link, 'dead');
    else this.went(link, isByPeer);
  }

  // What goes out.

  /** Whether what is said to it is lost, as will be told or was. */
  protected isDeaf(link: L): boolean {
    return link.isDead;
  }

  protected call(link: L, address: string): Outgoing {
    const { group, id: from, formats } = this;
    const to: Destination = {
      hello: { ...versionsOf(formats), group, from, to: link.id, session: 0, isResumed: false },
      formats,
      dial: () => this.dial(address),
      refused: (why) => this.refused(why),
    };
    const outgoing = this.open(link, to)!;
    link.outgoing = outgoing;
    return outgoing;
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const outgoing of dirty) {
      outgoing.isDirty = false;
      outgoing.flush();
    }
    const own = this.#ownFrames;
    this.#ownFrames = [];
    for (const frame of own) if (!this.isClosed) this.#listener.received(this.id, frame);
  };

  protected dead(link: L): void {
    link.outgoing?.destroy();
    link.outgoing = null;
    link.isDead = true;
    if (link.incoming === null) this.tell(link, 'dead'); // otherwise what it said before comes first; its end is sure to follow
  }

  protected tell(link: L, why: Closing): void {
    this.forget(link);
    this.#listener.closed(link.id, why);
  }

  /** Unless it is one of the group, or a connection stands. */
  protected forget(link: L): void {
    const isNeeded = this.kept.has(link.id) || link.outgoing !== null || link.incoming !== null;
    if (!isNeeded && this.#links.get(link.id) === link) this.#links.delete(link.id);
  }

  protected async drop(link: L): Promise<void> {
    this.#links.delete(link.id);
    const { incoming, outgoing } = link;
    link.incoming = null;
    incoming?.destroy();
    await outgoing?.quit();
  }

  protected link(id: MemberId): L {
    let link = this.#links.get(id);
    if (link === undefined) {
      link = this.newLink(bareLink(id));
      this.#links.set(id, link);
    }
    return link;
  }
}
