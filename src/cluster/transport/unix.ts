// Between processes of one machine and one user, over unix domain sockets. Who may connect is settled by the directory's mode.
import { connect, createServer } from 'node:net';
import { InputError } from '../../core/assert.ts';
import { type Medium, type StreamOptions, StreamTransport } from './streams.ts';
import type { Transport } from './transport.ts';

const pathLimit = process.platform === 'linux' ? 107 : 103; // bytes, of the kernel's sun_path

/** The process that listened there is gone: the kernel refuses, or it has taken its socket away itself. */
export const isDead = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNREFUSED' || code === 'ENOENT';

/** Listens at this path, where nothing may be yet. */
export async function listen(path: string, options: StreamOptions): Promise<Transport> {
  const length = Buffer.byteLength(path);
  if (length > pathLimit)
    throw new InputError(
      `the socket path ${path} has ${length} bytes, but sockets here can have ${pathLimit}: set BATON_DIR to a shorter directory`,
    );
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve); // exclusive: a worker of node:cluster listens itself, too
  });
  server.removeAllListeners('error');
  const medium: Medium = { address: path, server, dial: (address) => connect(address), isDead };
  return new StreamTransport(options, medium);
}

/** Whether whoever listened at this path is dead for certain. */
export function isKnownDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => socket.destroy());
    // Reset before anything was said: whoever listened let us wait, and then was gone.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(isDead(error) || error.code === 'ECONNRESET'),
    );
    socket.on('close', () => resolve(false));
  });
}
