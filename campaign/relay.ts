// A process that relays connections: delayed, reordered between connections, or not at all. Its parent sends it orders.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

export type Order =
  | {
      readonly open: string; // 'member 3', or 'engine of 3'
      readonly host: string;
      readonly port: number;
      readonly to: { readonly host: string; readonly port: number };
    }
  | { readonly leastMs: number; readonly mostMs: number }
  | { readonly cut: readonly [from: number, to: number] }
  | { readonly mend: readonly [from: number, to: number] }
  | { readonly pid: number; readonly is: number }
  | { readonly count: true }; // the answer is the number of chunks sent to the engine

const engine = -1;
const delay = { leastMs: 0, mostMs: 0 };
const cuts = new Set<string>();
const members = new Map<number, number>(); // by process id
const halves = new Set<Half>();
let saidToEngine = 0;
const againMs = 25; // until the next check whether the target listens again

/** One direction of a connection. */
class Half {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #ends: () => readonly [from: number, to: number] | null; // null while unknown
  readonly #waiting: { readonly chunk: Buffer | null; readonly due: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(from: Socket, to: Socket, ends: () => readonly [number, number] | null) {
    this.#from = from;
    this.#to = to;
    this.#ends = ends;
    halves.add(this);
    from.on('end', () => this.add(null));
    to.on('close', () => halves.delete(this));
  }

  add(chunk: Buffer | null): void {
    const ms = delay.leastMs + Math.random() * (delay.mostMs - delay.leastMs);
    const due = Math.max(performance.now() + ms, this.#waiting.at(-1)?.due ?? 0);
    this.#waiting.push({ chunk, due });
    this.pass();
  }

  /** Forwards the chunks that are due, in order. */
  pass(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const ends = this.#ends();
    if (ends !== null && cuts.has(ends.join('>'))) return;
    while (this.#waiting.length > 0) {
      const { chunk, due } = this.#waiting[0]!;
      const ms = due - performance.now();
      if (ms > 0.05) {
        this.#timer = setTimeout(() => this.pass(), ms);
        return;
      }
      this.#waiting.shift();
      if (chunk === null) this.#to.end();
      else if (!this.#to.write(chunk)) this.#pause();
    }
  }

  #pause(): void {
    this.#from.pause();
    this.#to.once('drain', () => this.#from.resume());
  }
}

function open(name: string, host: string, port: number, target: { host: string; port: number }): void {
  const member = Number(name.split(' ').at(-1));
  const isEngine = name.startsWith('engine');
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true });
    far.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') refuse();
    });
    const { remotePort } = near; // undefined once the connection is closed
    let caller = isEngine ? member : null;
    const called = isEngine ? engine : member;
    const there = new Half(near, far, () => (caller === null ? null : [caller, called]));
    const back = new Half(far, near, () => (caller === null ? null : [called, caller]));
    near.on('data', (chunk) => {
      if (remotePort !== undefined && members.size > 0) caller ??= callerFrom(remotePort); // namespaces cut links themselves
      if (isEngine) saidToEngine += 1;
      there.add(chunk);
    });
    far.on('data', (chunk) => back.add(chunk));
    far.on('end', refuseIfTargetDoes);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => setTimeout(() => other.destroy(), delay.mostMs + 10));
    }
  }).listen(port, host);

  /** The target has ended a connection: perhaps it has ended itself, and its kernel refuses the next one at once. */
  function refuseIfTargetDoes(): void {
    const socket = connect(target, () => socket.destroy());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') refuse();
    });
  }

  /** Refuses connections, as the target does, until it listens again. */
  function refuse(): void {
    if (!server.listening) return;
    server.close();
    const look = () => {
      const socket = connect(target);
      socket.on('connect', () => {
        socket.destroy();
        server.listen(port, host);
      });
      socket.on('error', () => setTimeout(look, againMs));
    };
    look();
  }
}

/** Returns the member whose process has a socket on this port: what it sends is encrypted. */
function callerFrom(port: number): number | null {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const inodes = rows.flatMap((row) => {
    const [, local = '', , , , , , , , inode] = row.trim().split(/\s+/);
    return local.endsWith(hex) ? [`socket:[${inode}]`] : [];
  });
  const owner = [...members].find(([pid]) => socketsOf(pid).some((socket) => inodes.includes(socket)));
  return owner?.[1] ?? null;
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((descriptor) => linkAt(`${folder}/${descriptor}`));
  } catch {
    return []; // the process has ended
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed meanwhile
  }
}

process.on('message', (order: Order) => {
  if ('open' in order) open(order.open, order.host, order.port, order.to);
  else if ('leastMs' in order) Object.assign(delay, order);
  else if ('pid' in order) members.set(order.pid, order.is);
  else if ('count' in order) process.send!(saidToEngine);
  else {
    if ('cut' in order) cuts.add(order.cut.join('>'));
    else cuts.delete(order.mend.join('>'));
    for (const half of halves) half.pass();
  }
});
process.on('disconnect', () => process.exit());
process.send!('ready');
