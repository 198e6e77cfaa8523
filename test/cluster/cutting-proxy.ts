// A TCP proxy that can disturb connections.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { parseSocketAddress } from '../../src/cluster/transport/socket-address.ts';

/** `there`: from the client to the target; `back`: from the target to the client. */
export type Direction = 'there' | 'back';

export class CuttingProxy {
  readonly address: string;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #held: { readonly socket: Socket; readonly chunk: Buffer }[] = [];
  #isStalled = false;
  #dropped = new Set<Direction>();
  delayMs = 0; // of new connections
  connections = 0; // in total

  private constructor(server: Server, target: string) {
    const { host, port } = parseSocketAddress(target)!;
    this.#server = server;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (caller) => {
      this.connections += 1;
      const callee = connect({ host, port, noDelay: true });
      const pair = [caller.setNoDelay(true), callee] as const;
      this.#pairs.add(pair);
      this.#forward(caller, callee, 'there', pair);
      this.#forward(callee, caller, 'back', pair);
    });
  }

  static async to(target: string): Promise<CuttingProxy> {
    const server = createServer({ allowHalfOpen: false });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CuttingProxy(server, target);
  }

  /** Ends all connections; bytes in transit are lost. New connections are accepted. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#held.length = 0;
  }

  /** Holds all bytes, and the ends of connections, until `flow`. */
  stall(): void {
    this.#isStalled = true;
  }

  flow(): void {
    this.#isStalled = false;
    for (const { socket, chunk } of this.#held.splice(0)) if (!socket.destroyed) socket.write(chunk);
    for (const pair of this.#pairs) if (pair.some(({ destroyed }) => destroyed)) this.#end(pair);
  }

  /** Drops bytes in this direction, like a cut cable, until `mend`. A connection that has lost bytes stays silent for good. */
  drop(direction: Direction): void {
    this.#dropped.add(direction);
  }

  mend(): void {
    this.#dropped.clear();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #forward(from: Socket, to: Socket, direction: Direction, pair: readonly [Socket, Socket]): void {
    const { delayMs } = this;
    let isLost = false; // some bytes were dropped, so the rest is dropped too
    from.on('data', (chunk) => {
      isLost ||= this.#dropped.has(direction);
      if (isLost) return;
      if (delayMs > 0) setTimeout(() => this.#pass(to, chunk), delayMs);
      else this.#pass(to, chunk);
    });
    from.on('error', () => {});
    from.on('close', () => {
      if (!this.#isStalled && !isLost && !this.#dropped.has(direction))
        setTimeout(() => this.#end(pair), delayMs);
    });
  }

  #pass(socket: Socket, chunk: Buffer): void {
    if (this.#isStalled) this.#held.push({ socket, chunk });
    else if (!socket.destroyed) socket.write(chunk);
  }

  #end(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroySoon();
  }
}
