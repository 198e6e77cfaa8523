// A server behind a wire that can fall silent without breaking.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Detour {
  readonly url: string;
  readonly made: number; // connections, ever
  silence(): void; // what is sent stays on the way
  mend(): void;
  close(): Promise<void>;
}

export async function detourTo(url: string): Promise<Detour> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let made = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    made += 1;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => to.write(data));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isSilent) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const here = new URL(url);
  here.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: here.href,
    get made() {
      return made;
    },
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
