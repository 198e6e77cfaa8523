// The transport between machines, over TCP. When a connection breaks, the session continues over the next one.
import { type AddressInfo, type Server, Socket } from 'node:net';
import { BatonError, toBatonError } from '../errors.ts';
import type { Hello } from './encoding/handshake.ts';
import type { Destination } from './frame-sender.ts';
import type { ReceiveProgress } from './incoming-connection.ts';
import { type ConnectionFailure, wrongPeerAnswered } from './outgoing-connection.ts';
import { ResumableSession } from './resumable-session.ts';
import { type Credentials, type Security, securityOf } from './security.ts';
import {
  formatSocketAddress,
  parseSocketAddress,
  remoteHost,
  resolveListenAddress,
  type SocketAddress,
  thisMachine,
} from './socket-address.ts';
import { newTicket, type PeerLink, type StreamOptions, StreamTransport } from './stream-transport.ts';
import type { Transport } from './transport.ts';

export interface TcpOptions extends Credentials {
  /** 'host:port', or ':port' for all interfaces. Defaults to a free port that only this machine can reach. */
  readonly listen?: string | undefined;
  /** The address at which other members reach this one, behind a mapped port or a proxy. Defaults to `listen`. */
  readonly advertise?: string | undefined;
  /** How long to retry before a peer counts as unreachable. */
  readonly unreachableAfterMs: number;
}

const unidentifiedLimit = 256; // incoming connections without a hello; the oldest is closed for a new one

export async function listenTcp(tcp: TcpOptions, options: StreamOptions): Promise<Transport> {
  const { listen = '127.0.0.1:0', advertise, unreachableAfterMs } = tcp;
  const resolved = await resolveListenAddress(listen);
  if (advertise !== undefined && !parseSocketAddress(advertise)?.host)
    throw new BatonError('input', `advertise must be 'host:port', not '${advertise}'`);
  if (tcp.tls === undefined && tcp.secret === undefined && !resolved.isLocal)
    throw new BatonError(
      'input',
      `other machines could reach ${listen}: give tls or secret, or listen on 127.0.0.1`,
    );
  const { server, dial, admit } = await securityOf(options.group, tcp);
  const listening = server(unreachableAfterMs);
  await listenAt(listening, resolved, listen);
  const { port } = listening.address() as AddressInfo;
  const machine = resolved.isLocal ? thisMachine : undefined;
  const address = advertise ?? formatSocketAddress({ host: resolved.advertised, port, machine });
  return new TcpTransport(options, listening, address, { dial, admit }, unreachableAfterMs);
}

function listenAt(server: Server, { host, port }: SocketAddress, listen: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: 'another process listens there; port 0 is a free one',
        EADDRNOTAVAIL: 'this machine has no such address',
        EACCES: 'this user may not',
      };
      const reason = reasons[cause.code ?? ''];
      if (reason === undefined) reject(toBatonError(cause, `listening on ${listen}`));
      else reject(new BatonError('input', `cannot listen on ${listen}: ${reason}`, { cause }));
    });
    server.listen({ port, exclusive: true, ...(host !== '' && { host }) }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

interface TcpLink extends PeerLink {
  outgoing: ResumableSession | null;
  received: ReceiveProgress | null; // of the newest session from the peer
  peerEndedConnection: boolean; // it ended an authenticated connection, and has not opened one since
}

/** Returns a socket that fails with this error. */
function unconnected(error: Error): Socket {
  const socket = new Socket();
  process.nextTick(() => socket.destroy(error));
  return socket;
}

class TcpTransport extends StreamTransport<TcpLink> {
  readonly helloMs: number;
  readonly #dial: Security['dial'];
  readonly #unreachableAfterMs: number;
  readonly #unidentified = new Map<string, Socket>(); // incoming connections without a hello, oldest first
  #lastSession = 0;

  constructor(
    options: StreamOptions,
    server: Server,
    address: string,
    { dial, admit }: Pick<Security, 'dial' | 'admit'>,
    unreachableAfterMs: number,
  ) {
    super(options, server, address);
    this.helloMs = unreachableAfterMs;
    this.#dial = dial;
    this.#unreachableAfterMs = unreachableAfterMs;
    server.on('connection', (socket) => {
      this.#tune(socket);
      const ends = endsOf(socket);
      this.#unidentified.set(ends, socket);
      socket.on('close', () => {
        if (this.#unidentified.get(ends) === socket) this.#unidentified.delete(ends);
      });
      this.#limitUnidentified();
    });
    const accept = (socket: Socket) => this.accept(socket);
    admit(server, accept, (why, address) => this.refused(why, address));
  }

  override helloReceived(socket: Socket, hello: Hello): ReceiveProgress | null {
    this.#unidentified.delete(endsOf(socket));
    return super.helloReceived(socket, hello);
  }

  /** A stranger that holds many connections does not keep members out: these say hello within milliseconds. */
  #limitUnidentified(): void {
    if (this.#unidentified.size <= unidentifiedLimit) return;
    const [ends, oldest] = this.#unidentified.entries().next().value!;
    this.#unidentified.delete(ends);
    this.refused('stranger', remoteHost(oldest));
    oldest.destroy();
  }

  protected newLink(bare: PeerLink): TcpLink {
    return { ...bare, outgoing: null, received: null, peerEndedConnection: false };
  }

  protected dial(address: string): Socket {
    const { host, port, machine = thisMachine } = parseSocketAddress(address) ?? { host: address, port: 0 };
    if (machine !== thisMachine) return unconnected(new Error(`${address} is on another machine`));
    try {
      return this.#tune(this.#dial({ host, port }));
    } catch (error) {
      return unconnected(error as Error); // Deno throws when a host contains a null byte
    }
  }

  protected openSender(link: TcpLink, { hello, ...to }: Destination): ResumableSession {
    this.#lastSession += 1;
    const destination = { ...to, hello: { ...hello, session: this.#lastSession, ticket: newTicket() } };
    const session = new ResumableSession(destination, this.#unreachableAfterMs, {
      isDead: (failure) => isDead(link, failure),
      connected: () => {
        link.peerEndedConnection = false;
      },
      disconnected: (isByPeer) => {
        link.peerEndedConnection ||= isByPeer;
      },
      over: (why) => {
        link.outgoing = null;
        if (why === 'dead') this.peerDied(link);
        else this.reportClosed(link, why);
      },
    });
    session.start();
    return session;
  }

  protected peerConnected(link: TcpLink, { session, isResumed, ticket }: Hello): ReceiveProgress | null {
    const before = link.received;
    if (session !== 0 && session === before?.session && ticket !== before.ticket) {
      this.refused('stranger', link.address);
      return null;
    }
    link.peerEndedConnection = false;
    if (session !== 0 && session === before?.session) return before;
    if (isResumed || (session !== 0 && session < (before?.session ?? 0))) return null; // an unknown session, or a delayed hello of an old one
    link.received = { session, ticket, offset: 0 };
    if (before !== null) this.reportClosed(link, 'broken'); // the rest of the earlier session is lost
    return link.received;
  }

  /** A live peer reconnects and continues. Dialing finds out whether it lives. */
  protected peerDisconnected(link: TcpLink, isByPeer: boolean): void {
    link.peerEndedConnection ||= isByPeer;
    if (link.outgoing !== null) link.outgoing.start();
    else if (link.address !== null && this.kept.has(link.id)) this.connect(link, link.address);
    else setTimeout(() => this.forget(link), this.#unreachableAfterMs).unref();
  }

  protected override peerDied(link: TcpLink): void {
    super.peerDied(link);
    setTimeout(() => link.incoming?.destroy(), this.#unreachableAfterMs).unref(); // in case the end of the connection got lost
  }

  #tune(socket: Socket): Socket {
    return socket.setNoDelay(true).setKeepAlive(true, this.#unreachableAfterMs);
  }
}

/** Identifies a connection, which has one socket below TLS and one above. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * Whether a failure proves that the process of the peer has ended. A refused connection proves it on this machine, or if the peer's kernel
 * ended a connection before. A firewall that cuts connections and then rejects new ones, instead of dropping them, looks the same.
 */
function isDead({ address, peerEndedConnection }: TcpLink, { code }: ConnectionFailure): boolean {
  if (code !== 'ECONNREFUSED' && code !== wrongPeerAnswered.code) return false;
  return peerEndedConnection || parseSocketAddress(address ?? '')?.machine === thisMachine;
}
