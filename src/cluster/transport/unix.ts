// The transport between processes of one user on one machine, over unix domain sockets. The directory's mode controls access.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { InputError } from '../../core/assert.ts';
import type { Hello } from './encoding/handshake.ts';
import { type Destination, FrameSender } from './frame-sender.ts';
import type { ReceiveProgress } from './incoming-connection.ts';
import { probeLiveness } from './liveness-probe.ts';
import type { ConnectionFailure } from './outgoing-connection.ts';
import { type PeerLink, type StreamOptions, StreamTransport } from './stream-transport.ts';
import type { Transport } from './transport.ts';

const pathLimit = process.platform === 'linux' ? 107 : 103; // bytes, of the kernel's sun_path

/** The listening process has ended: the kernel refuses, or the process removed its socket. */
const isDead = ({ code }: ConnectionFailure): boolean => code === 'ECONNREFUSED' || code === 'ENOENT';

/** Listens at a path that must not exist yet. */
export async function listenUnix(path: string, options: StreamOptions): Promise<Transport> {
  const length = Buffer.byteLength(path);
  if (length > pathLimit)
    throw new InputError(
      `the socket path ${path} has ${length} bytes, but sockets here can have ${pathLimit}: set BATON_DIR to a shorter directory`,
    );
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve); // exclusive: also in a worker of node:cluster, this process listens itself
  });
  server.removeAllListeners('error');
  return new UnixTransport(options, server, path);
}

/** Whether the process that listened at this path is certainly dead. */
export function isSocketDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => socket.destroy());
    // A reset here means that the process ended while the connection was in its backlog.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(isDead(error) || error.code === 'ECONNRESET'),
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

  constructor(options: StreamOptions, server: Server, path: string) {
    super(options, server, path);
    server.on('connection', (socket) => this.accept(socket));
  }

  protected newLink(bare: PeerLink): UnixLink {
    return { ...bare, stopProbe: null };
  }

  protected dial(address: string): Socket {
    return connect(address);
  }

  protected openSender(link: UnixLink, to: Destination): FrameSender {
    const outgoing = new FrameSender(to, (failure) => {
      link.outgoing = null;
      if (failure !== null && isDead(failure)) this.peerDied(link);
      else this.#probePeer(link);
    });
    outgoing.start();
    return outgoing;
  }

  protected peerConnected(link: UnixLink, _: Hello, isAgain: boolean): ReceiveProgress {
    if (isAgain || link.stopProbe !== null) this.#peerAlive(link); // it reconnected: frames in between may be lost
    return { session: 0, offset: 0 };
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
    else
      link.stopProbe = probeLiveness({ dial: () => this.dial(address), isDead }, (isPeerDead) => {
        if (isPeerDead) this.peerDied(link);
        else this.#peerAlive(link);
      });
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
