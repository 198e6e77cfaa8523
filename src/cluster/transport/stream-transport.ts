// A transport over streams. A connection carries only frames of the member that opened it, and the answers to its queries, so two members
// that dial each other at the same time do not conflict.
import { randomBytes } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import type { MemberId, Peer } from '../../member/index.ts';
import { type FrameFormats, frameFormats } from './encoding/frame-formats.ts';
import { FrameWriter } from './encoding/framing.ts';
import { type Hello, versionsOf } from './encoding/handshake.ts';
import type { Destination, FrameSender } from './frame-sender.ts';
import { IncomingConnection, type IncomingHandler, type ReceiveProgress } from './incoming-connection.ts';
import { type ConnectionFailure, OutgoingConnection, wrongPeerAnswered } from './outgoing-connection.ts';
import { remoteHost } from './socket-address.ts';
import type {
  AnswerFrame,
  CloseReason,
  Frame,
  RefusalReason,
  Transport,
  TransportListener,
} from './transport.ts';

export interface StreamOptions {
  readonly group: string;
  readonly id: MemberId;
  readonly listener: TransportListener;
  readonly formats?: FrameFormats; // defaults to the current ones
}

/** The connections between this member and one peer. */
export interface PeerLink {
  readonly id: MemberId;
  address: string | null;
  outgoing: FrameSender | null;
  incoming: Socket | null;
  isDead: boolean;
}

const othersLimit = 256; // peers that are not in the view

const bareLink = (id: MemberId): PeerLink => ({
  id,
  address: null,
  outgoing: null,
  incoming: null,
  isDead: false,
});

const noAnswer = (): void => {};

/** Returns a value that nobody can guess. */
export const newTicket = (): string => randomBytes(16).toString('hex');

/** Common to all stream transports. Subclasses decide what a lost connection means. */
export abstract class StreamTransport<L extends PeerLink> implements Transport, IncomingHandler {
  abstract readonly helloMs: number;
  readonly address: string;
  readonly group: string;
  readonly id: MemberId;
  readonly formats: FrameFormats;
  protected isClosed = false;
  protected kept: ReadonlySet<MemberId> = new Set();
  readonly #listener: TransportListener;
  readonly #server: Server;
  readonly #links = new Map<MemberId, L>();
  readonly #incomingSockets = new Set<Socket>(); // opened by peers
  #toFlush: FrameSender[] = [];
  #ownFrames: Frame[] = [];
  readonly #selfChecks = new Map<string, (failure: string | null) => void>(); // by ticket
  #isScheduled = false;

  /** The server must already listen. */
  constructor(options: StreamOptions, server: Server, address: string) {
    this.address = address;
    this.group = options.group;
    this.id = options.id;
    this.formats = options.formats ?? frameFormats;
    this.#listener = options.listener;
    this.#server = server;
    server.on('error', () => {}); // out of file descriptors: the peer dials again
    server.on('connection', (socket) => {
      this.#incomingSockets.add(socket);
      socket.on('close', () => this.#incomingSockets.delete(socket));
    });
  }

  protected abstract newLink(bare: PeerLink): L;
  /** Opens and starts a sender to the peer. */
  protected abstract openSender(link: L, to: Destination): L['outgoing'];
  /** The peer opened a connection; if `isAgain`, it replaces an earlier one. Return null to decline it. */
  protected abstract peerConnected(link: L, hello: Hello, isAgain: boolean): ReceiveProgress | null;
  /** The connection that the peer opened has ended. */
  protected abstract peerDisconnected(link: L, isByPeer: boolean): void;
  protected abstract dial(address: string): Socket;

  send(to: Peer, frame: Frame): void {
    if (this.isClosed) return;
    if (to.id === this.id) this.#ownFrames.push(frame);
    else {
      const link = this.link(to.id);
      link.address = to.address;
      if (this.discardsFrames(link)) return;
      const outgoing = link.outgoing ?? this.connect(link, to.address);
      outgoing.add(frame);
      if (outgoing.needsFlush) return;
      outgoing.needsFlush = true;
      this.#toFlush.push(outgoing);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(this.#flushAll);
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
    for (const done of this.#selfChecks.values()) done('it is closed');
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve())); // so that peers find nobody listening
    for (const socket of this.#incomingSockets) socket.destroy();
    await Promise.all([closed, ...[...this.#links.values()].map((link) => this.drop(link))]);
  }

  // Incoming connections.

  protected accept(socket: Socket): void {
    new IncomingConnection(socket, this);
  }

  helloReceived(socket: Socket, hello: Hello): ReceiveProgress | null {
    if (this.#isOneTooMany(hello.from)) {
      this.refused('stranger', remoteHost(socket));
      return null;
    }
    const link = this.link(hello.from);
    if (link.isDead) {
      this.refused('stranger', remoteHost(socket));
      return null;
    }
    const before = link.incoming;
    link.incoming = socket;
    const progress = this.peerConnected(link, hello, before !== null);
    if (progress === null) {
      link.incoming = before;
      this.forget(link);
    } else before?.destroy();
    return progress;
  }

  /** Peers outside the view ask questions or are about to join. Each has its own buffers, so their number is limited. */
  #isOneTooMany(id: MemberId): boolean {
    if (this.kept.has(id) || this.#links.has(id)) return false;
    let others = 0;
    for (const known of this.#links.keys()) if (!this.kept.has(known)) others += 1;
    return others >= othersLimit;
  }

  received(from: MemberId, frame: Frame, answer: (frame: AnswerFrame) => void): void {
    this.#listener.received(from, frame, answer);
  }

  refused(why: RefusalReason, address: string | null): void {
    if (!this.isClosed) this.#listener.refused(why, address);
  }

  frameLost(from: MemberId): void {
    if (!this.isClosed) this.#listener.closed(from, 'broken');
  }

  ended(socket: Socket, from: MemberId, isByPeer: boolean): void {
    const link = this.#links.get(from);
    if (this.isClosed || link?.incoming !== socket) return;
    link.incoming = null;
    if (link.isDead) this.reportClosed(link, 'dead');
    else this.peerDisconnected(link, isByPeer);
  }

  // Outgoing connections.

  /** Whether frames to this peer are dropped; `closed` reports it, or already has. */
  protected discardsFrames(link: L): boolean {
    return link.isDead;
  }

  protected connect(link: L, address: string): FrameSender {
    const { group, id: from, formats } = this;
    const to: Destination = {
      hello: { ...versionsOf(formats), group, from, to: link.id, session: 0, isResumed: false, ticket: '' },
      formats,
      dial: () => this.dial(address),
      answered: (frame) => {
        if (!this.isClosed) this.#listener.received(link.id, frame, noAnswer);
      },
      refused: (why) => this.refused(why, address),
    };
    const outgoing = this.openSender(link, to)!;
    link.outgoing = outgoing;
    return outgoing;
  }

  readonly #flushAll = (): void => {
    this.#isScheduled = false;
    const dirty = this.#toFlush;
    this.#toFlush = [];
    for (const outgoing of dirty) {
      outgoing.needsFlush = false;
      outgoing.flush();
    }
    const ownFrames = this.#ownFrames;
    this.#ownFrames = [];
    for (const frame of ownFrames) if (!this.isClosed) this.#listener.received(this.id, frame, noAnswer);
  };

  reachItself(timeoutMs: number): Promise<string | null> {
    const { group, id, formats, address } = this;
    const ticket = newTicket();
    const hello = { ...versionsOf(formats), group, from: id, to: id, session: 0, isResumed: false, ticket };
    return new Promise((resolve) => {
      const done = (failure: string | null) => {
        clearTimeout(timer);
        this.#selfChecks.delete(ticket);
        connection.destroy();
        resolve(failure);
      };
      const timer = setTimeout(done, timeoutMs, `no answer for ${Math.ceil(timeoutMs)} ms`);
      const connection = new OutgoingConnection(() => this.dial(address), hello, new FrameWriter(), {
        answered: () => false,
        received: () => {},
        refused: () => done('something else listens there'),
        isTransient: () => false,
        ended: (failure) => done(reasonOf(failure)),
      });
      this.#selfChecks.set(ticket, done);
    });
  }

  reachedItself(ticket: string): boolean {
    const done = this.#selfChecks.get(ticket);
    done?.(null);
    return done !== undefined;
  }

  protected peerDied(link: L): void {
    link.outgoing?.destroy();
    link.outgoing = null;
    link.isDead = true;
    if (link.incoming === null) this.reportClosed(link, 'dead'); // otherwise its last frames come first, and the end of the connection follows
  }

  protected reportClosed(link: L, why: CloseReason): void {
    this.forget(link);
    this.#listener.closed(link.id, why);
  }

  /** Forgets a link, unless the peer is in the group or a connection is open. */
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

function reasonOf(failure: ConnectionFailure | null): string {
  if (failure?.code === 'ECONNREFUSED') return 'nobody listens there';
  if (failure === wrongPeerAnswered) return 'another member listens there';
  return failure?.code ?? 'the connection was ended';
}
