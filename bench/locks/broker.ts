// A bare broker: one process that keeps a queue per name, lines on a unix socket. `+name` asks, `-name` releases, `name` is granted.
import { once } from 'node:events';
import { createServer, connect as open, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Client } from './contenders/contender.js';

function readLines(socket: Socket, handle: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) handle(line);
  });
}

function serve(path: string): void {
  const queues = new Map<string, Socket[]>(); // the holder first
  const leave = (name: string, socket: Socket) => {
    const queue = queues.get(name)!;
    const place = queue.indexOf(socket);
    queue.splice(place, 1);
    if (queue.length === 0) queues.delete(name);
    else if (place === 0) queue[0]!.write(`${name}\n`);
  };
  const server = createServer((socket) => {
    readLines(socket, (line) => {
      const name = line.slice(1);
      if (line[0] === '-') return leave(name, socket);
      const queue = queues.get(name);
      if (queue !== undefined) return queue.push(socket);
      queues.set(name, [socket]);
      return socket.write(`${name}\n`);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const [name, queue] of [...queues]) if (queue.includes(socket)) leave(name, socket);
    });
  });
  server.listen(path, () => process.send!('listening'));
}

export async function connect(where: string, run: string): Promise<Client> {
  const socket = open(where);
  await once(socket, 'connect');
  const granted = new Map<string, () => void>();
  readLines(socket, (name) => {
    const grant = granted.get(name)!;
    granted.delete(name);
    grant();
  });
  return {
    acquire: (name) =>
      new Promise<void>((resolve) => {
        granted.set(`${run}:${name}`, resolve);
        socket.write(`+${run}:${name}\n`);
      }),
    release: (_, name) => socket.write(`-${run}:${name}\n`),
    close: async () => {
      socket.destroy();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2]!);
