// Counts the bytes that this process sends to other processes. Messages to the process that started it are not counted: they use no socket.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const open = new Set<Socket>();
let closed = 0; // bytes of the sockets that are closed

function count(message: unknown): void {
  const { socket } = message as { readonly socket: Socket };
  open.add(socket);
  socket.once('close', () => {
    open.delete(socket);
    closed += socket.bytesWritten;
  });
}

for (const channel of ['net.client.socket', 'net.server.socket']) subscribe(channel, count);

/** Returns the bytes sent since this file was loaded. */
export function sentBytes(): number {
  let sum = closed;
  for (const { bytesWritten } of open) sum += bytesWritten;
  return sum;
}
