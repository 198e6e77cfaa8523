// The transport between processes of one user on one machine, over unix domain sockets. The directory's mode controls access.
import { type BigIntStats, lstatSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { MemberId } from '../../member/index.ts';
import { BatonError, systemReason, unavailable } from '../errors.ts';
import type { Hello } from './encoding/handshake.ts';
import { type Destination, FrameSender } from './frame-sender.ts';
import type { ReceiveProgress } from './incoming-connection.ts';
import { probeLiveness } from './liveness-probe.ts';
import type { ConnectionFailure } from './outgoing-connection.ts';
import { type PeerLink, type StreamOptions, StreamTransport } from './stream-transport.ts';
import type { Transport } from './transport.ts';

const unidentifiedLimit = 1024; // incoming connections without a hello
const pathLimit = process.platform === 'linux' ? 107 : 103; // bytes, of the kernel's sun_path

/** Of the file of a socket: while it is used, and until the process listens. */
export const socketSuffixes = ['.sock', '.soc~'] as const;

const checkEveryMs = 500;
// The first member of the view asks at once whether a peer is dead, the second a little later, and so on. If one of them has removed it from the
// view by then, the others need not ask: all of them are busy with the change of the view.
const probeAfterMs = 4;
const longestProbeAfterMs = 20;
const missing = -1n; // no inode

/** A failure of `dialSocket`. */
interface DialFailure extends ConnectionFailure {
  readonly dialled?: string | null; // the socket that was at the path; null: there was none
}

/** Connects to a socket. An error has the socket that was there: the process may have put another one there before the error is handled. */
function dialSocket(path: string): Socket {
  const dialled = socketAt(path);
  const socket = connect({ path }); // a bare text could also be taken for a port
  return socket.on('error', (error: DialFailure) => Object.assign(error, { dialled }));
}

/** Whether the socket that was dialled is still at the path. */
const isInPlace = ({ dialled = null }: DialFailure, path: string): boolean =>
  dialled !== null && socketAt(path) === dialled;

/** The kernel refuses connections at an existing socket: the process that listened there has ended. */
const isRefused = (failure: DialFailure, path: string): boolean =>
  failure.code === 'ECONNREFUSED' && isInPlace(failure, path);

/** Another program removed or replaced the socket, which shows nothing about the process. */
const isMissing = ({ code }: ConnectionFailure): boolean => code === 'ENOENT' || code === 'ECONNREFUSED';

/** Listens at a path. A socket of a former process is replaced. */
export async function listenUnix(path: string, options: StreamOptions): Promise<Transport> {
  const length = Buffer.byteLength(path);
  if (length > pathLimit)
    throw new BatonError(
      'input',
      `the socket path ${path} has ${length} bytes, but sockets here can have ${pathLimit}: set BATON_DIR to a shorter directory`,
    );
  const server = createServer();
  await listenAt(server, path);
  return new UnixTransport(options, server, path);
}

/**
 * Listens under another name, which is changed then: closing a server removes the file it was opened at. So a closed socket stays at its
 * path, and shows that the process no longer listens.
 */
async function listenAt(server: Server, path: string): Promise<void> {
  const first = `${path.slice(0, -1)}~`;
  try {
    rmSync(first, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: first, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      }); // exclusive: also in a worker of node:cluster, this process listens itself
    });
    renameSync(first, path);
  } catch (error) {
    server.close();
    throw unavailable(`this process cannot listen at ${path}: ${systemReason(error)}`, error);
  }
}

/** Returns null if there is no socket. */
function socketStats(path: string): BigIntStats | null {
  try {
    const stats = lstatSync(path, { bigint: true });
    return stats.isSocket() ? stats : null;
  } catch {
    return null;
  }
}

const inodeOf = (path: string): bigint | null => socketStats(path)?.ino ?? null;

/** Identifies a socket. A later one may have the same inode. */
function socketAt(path: string): string | null {
  const stats = socketStats(path);
  return stats && `${stats.ino} ${stats.ctimeNs}`;
}

/** Whether the process that listened at this path is certainly dead. A removed socket does not show it. */
export function isSocketDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dialSocket(path);
    socket.on('connect', () => socket.destroy());
    // A reset here means that the process ended, or began to listen at another socket, while the connection was in its backlog.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(isRefused(error, path) || (error.code === 'ECONNRESET' && isInPlace(error, path))),
    );
    socket.on('close', () => resolve(false));
  });
}

interface UnixLink extends PeerLink {
  stopProbe: (() => void) | null; // cancels the probe that runs before a broken channel is reported
}

/** Connections break only when a process ends or closes them, so there are no sessions. Unread frames are then lost. */
class UnixTransport extends StreamTransport<UnixLink> {
  readonly helloMs = 10_000;
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  readonly #unidentified = new Set<Socket>();
  #inode: bigint | null; // null while it begins to listen again

  constructor(options: StreamOptions, server: Server, path: string) {
    super(options, server, path);
    this.#server = server;
    this.#inode = inodeOf(path) ?? missing;
    this.#timer = setInterval(() => this.#listenAgain(), checkEveryMs);
    this.#timer.unref();
    server.on('connection', (socket) => this.#connected(socket));
  }

  #connected(socket: Socket): void {
    if (this.#unidentified.size >= unidentifiedLimit) {
      this.refused('stranger', null);
      socket.destroy();
      return;
    }
    this.#unidentified.add(socket);
    socket.on('close', () => this.#unidentified.delete(socket));
    this.accept(socket);
  }

  override helloReceived(socket: Socket, hello: Hello): ReceiveProgress | null {
    this.#unidentified.delete(socket);
    return super.helloReceived(socket, hello);
  }

  override close(): Promise<void> {
    clearInterval(this.#timer);
    return super.close();
  }

  /** If another program removed the socket, listens at the same path again. Connections stay. */
  async #listenAgain(): Promise<void> {
    const { address } = this;
    if (this.#inode === null || inodeOf(address) === this.#inode) return;
    this.#inode = null;
    this.#server.close();
    await listenAt(this.#server, address).catch(() => {}); // the next check tries again
    this.#inode = inodeOf(address) ?? missing;
    if (this.isClosed) this.#server.close();
  }

  protected newLink(bare: PeerLink): UnixLink {
    return { ...bare, stopProbe: null };
  }

  protected dial(address: string): Socket {
    return dialSocket(address);
  }

  protected openSender(link: UnixLink, to: Destination): FrameSender {
    const isMissing = (failure: ConnectionFailure) => this.#isMissing(link, failure);
    const outgoing = new FrameSender({ ...to, isMissing }, (failure) => {
      link.outgoing = null;
      if (failure !== null && isRefused(failure, link.address!)) this.peerDied(link);
      else this.#probePeer(link);
    });
    outgoing.start();
    return outgoing;
  }

  protected peerConnected(link: UnixLink, _: Hello, isAgain: boolean): ReceiveProgress {
    if (isAgain || link.stopProbe !== null) this.#peerAlive(link); // it reconnected: frames in between may be lost
    return { session: 0, ticket: '', offset: 0 };
  }

  protected peerDisconnected(link: UnixLink): void {
    this.#probePeer(link);
  }

  protected override discardsFrames(link: UnixLink): boolean {
    return link.isDead || (link.outgoing === null && link.stopProbe !== null);
  }

  /** A connection broke. Finds out whether the peer lives before reporting it. */
  #probePeer(link: UnixLink): void {
    const { address } = link;
    if (link.stopProbe !== null || link.isDead) return;
    if (address === null) this.reportClosed(link, 'broken');
    else {
      const pauseMs = Math.min(longestProbeAfterMs, probeAfterMs * this.#rankWithout(link.id));
      if (pauseMs === 0) this.#probeNow(link, address);
      else {
        const timer = setTimeout(() => this.#probeNow(link, address), pauseMs);
        link.stopProbe = () => clearTimeout(timer);
      }
    }
  }

  #probeNow(link: UnixLink, address: string): void {
    link.stopProbe = probeLiveness(
      {
        dial: () => this.dial(address),
        isDead: (error) => isRefused(error, address),
        isMissing: (error) => this.#isMissing(link, error),
      },
      (isPeerDead) => {
        if (isPeerDead) this.peerDied(link);
        else this.#peerAlive(link);
      },
    );
  }

  /** How many other members come before this one in the view without the peer. */
  #rankWithout(peer: MemberId): number {
    const others = [...this.kept].filter((id) => id !== peer);
    return this.kept.has(peer) ? Math.max(0, others.indexOf(this.id)) : 0;
  }

  /** A member listens again when it notices. Others are not waited for. */
  #isMissing({ id, address }: UnixLink, failure: ConnectionFailure): boolean {
    return this.kept.has(id) && isMissing(failure) && !isRefused(failure, address!);
  }

  #peerAlive(link: UnixLink): void {
    this.#stopProbe(link);
    this.reportClosed(link, 'broken');
  }

  #stopProbe(link: UnixLink): void {
    link.stopProbe?.();
    link.stopProbe = null;
  }

  protected override peerDied(link: UnixLink): void {
    this.#stopProbe(link);
    super.peerDied(link);
  }

  protected override drop(link: UnixLink): Promise<void> {
    this.#stopProbe(link);
    return super.drop(link);
  }
}
