// The network of a campaign: cuts members off from each other and from their engine. Their connections go through a relay, which delays
// them. In namespaces they can also be direct, so that members notice a crash.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../bench/servers.ts';
import type { Order } from './relay.ts';

/** The addresses where one member listens, where others reach it, and where it reaches the engine. */
export interface Addresses {
  readonly listen: string;
  readonly advertise: string;
  readonly engineHost: string;
  readonly enginePort: number;
}

/** Starts the processes of members. */
export interface MemberHost {
  readonly title: string;
  start(member: number, file: string, env: NodeJS.ProcessEnv): ChildProcess;
  end(): Promise<void>;
}

export interface Ground extends MemberHost {
  readonly delays: boolean;
  addressesOf(member: number): Addresses;
  /** Cuts the link from `from` to `to`, in this direction only; -1 is the engine. */
  cut(from: number, to: number): void;
  mend(from: number, to: number): void;
  delay(leastMs: number, mostMs: number): void;
  /** Returns the number of chunks sent to the engine. */
  saidToEngine(): Promise<number>;
}

export const engine = -1;

const isRoot = () => process.getuid?.() === 0;

/** Returns network namespaces if possible (on Linux, as root), otherwise processes behind a relay. */
export async function groundFor(
  members: number,
  enginePort: number,
  { isDirect, isLoopback }: { readonly isDirect: boolean; readonly isLoopback: boolean },
): Promise<Ground> {
  const relay = fork(fileURLToPath(new URL('relay.js', import.meta.url)), []);
  await once(relay, 'message');
  const order = (what: Order) => {
    if (relay.connected) relay.send(what);
  };
  const saidToEngine = async () => {
    order({ count: true });
    const [count] = await once(relay, 'message');
    return count as number;
  };
  const stop = async () => {
    relay.kill();
    if (relay.exitCode === null) await once(relay, 'exit');
  };
  if (!isLoopback && process.platform === 'linux' && isRoot() && hasIp())
    return new Namespaces(members, enginePort, isDirect, { order, saidToEngine, stop });
  return Loopback.open(members, enginePort, { order, saidToEngine, stop });
}

function hasIp(): boolean {
  try {
    execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Relay {
  readonly order: (what: Order) => void;
  readonly saidToEngine: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

const relayed = (member: number) => `member ${member}`;
const relayedEngine = (member: number) => `engine of ${member}`;

/** Processes of this machine. The relay holds back the bytes on links that are cut. */
class Loopback implements Ground {
  readonly title = 'processes behind a relay';
  readonly delays = true;
  readonly #addresses: readonly Addresses[];
  readonly #order: (what: Order) => void;
  readonly saidToEngine: () => Promise<number>;
  readonly end: () => Promise<void>;

  static async open(members: number, enginePort: number, relay: Relay): Promise<Loopback> {
    const { order } = relay;
    const ports = await freePorts(3 * members);
    const addresses = Array.from({ length: members }, (_, i): Addresses => {
      const [own, others, toEngine] = ports.slice(3 * i) as [number, number, number];
      order({ open: relayed(i), host: '127.0.0.1', port: others, to: { host: '127.0.0.1', port: own } });
      const target = { host: '127.0.0.1', port: enginePort };
      order({ open: relayedEngine(i), host: '127.0.0.1', port: toEngine, to: target });
      return {
        listen: `127.0.0.1:${own}`,
        advertise: `127.0.0.1:${others}`,
        engineHost: '127.0.0.1',
        enginePort: toEngine,
      };
    });
    return new Loopback(addresses, relay);
  }

  private constructor(addresses: readonly Addresses[], { order, saidToEngine, stop }: Relay) {
    this.#addresses = addresses;
    this.#order = order;
    this.saidToEngine = saidToEngine;
    this.end = stop;
  }

  addressesOf(member: number): Addresses {
    return this.#addresses[member]!;
  }

  start(member: number, file: string, env: NodeJS.ProcessEnv): ChildProcess {
    const child = fork(file, [], { env, serialization: 'advanced' });
    this.#order({ pid: child.pid!, is: member });
    return child;
  }

  cut(from: number, to: number): void {
    this.#order({ cut: [from, to] });
  }

  mend(from: number, to: number): void {
    this.#order({ mend: [from, to] });
  }

  delay(leastMs: number, mostMs: number): void {
    this.#order({ leastMs, mostMs });
  }
}

/** A namespace for each member, on one bridge. Packets on links that are cut go to a nonexistent MAC address. */
class Namespaces implements Ground {
  readonly title: string;
  readonly delays: boolean;
  readonly #name: string;
  readonly #net: string; // differs between campaigns that run at the same time
  readonly #members: number;
  readonly #order: (what: Order) => void;
  readonly saidToEngine: () => Promise<number>;
  readonly #stop: () => Promise<void>;

  constructor(members: number, enginePort: number, isDirect: boolean, { order, saidToEngine, stop }: Relay) {
    grounds += 1;
    this.#name = `bt${process.pid % 100_000}${String.fromCharCode(96 + grounds)}`; // a new name each time: earlier namespaces may take a moment to disappear
    this.#net = `10.${128 + ((process.pid >> 8) % 100)}.${process.pid & 255}`;
    this.title = `network namespaces${isDirect ? '' : ' and a relay'}`;
    this.delays = !isDirect;
    this.#members = members;
    this.#order = order;
    this.saidToEngine = saidToEngine;
    this.#stop = stop;
    process.on('exit', this.#remove);
    const bridge = this.#name;
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('link', 'set', bridge, 'up');
    ip('addr', 'add', `${this.#net}.${engineHost}/24`, 'dev', bridge);
    for (let i = 0; i < members; i += 1) {
      const space = this.#space(i);
      const host = `${this.#net}.${relayHost + i}`;
      ip('addr', 'add', `${host}/24`, 'dev', bridge);
      ip('netns', 'add', space);
      ip('link', 'add', `${space}v`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      ip('link', 'set', `${space}v`, 'master', bridge, 'up');
      ip('-n', space, 'addr', 'add', `${this.#net}.${memberHost + i}/24`, 'dev', 'eth0');
      ip('-n', space, 'link', 'set', 'eth0', 'up');
      ip('-n', space, 'link', 'set', 'lo', 'up');
      order({ open: relayed(i), host, port, to: { host: `${this.#net}.${memberHost + i}`, port } });
      const target = { host: '127.0.0.1', port: enginePort };
      order({ open: relayedEngine(i), host: `${this.#net}.${engineHost}`, port: port + i, to: target });
    }
  }

  addressesOf(member: number): Addresses {
    return {
      listen: `${this.#net}.${memberHost + member}:${port}`,
      advertise: `${this.#hostOf(member)}:${port}`,
      engineHost: `${this.#net}.${engineHost}`,
      enginePort: port + member,
    };
  }

  start(member: number, file: string, env: NodeJS.ProcessEnv): ChildProcess {
    const command = ['netns', 'exec', this.#space(member), process.execPath, file];
    return spawn('ip', command, {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    }); // `ip` replaces itself with the command
  }

  cut(from: number, to: number): void {
    const nowhere = ['lladdr', '02:00:00:00:00:01', 'nud', 'permanent'];
    if (from !== engine)
      ip('-n', this.#space(from), 'neigh', 'replace', this.#hostOf(to), 'dev', 'eth0', ...nowhere);
    else ip('neigh', 'replace', `${this.#net}.${memberHost + to}`, 'dev', this.#name, ...nowhere);
  }

  mend(from: number, to: number): void {
    if (from !== engine) attempt('-n', this.#space(from), 'neigh', 'del', this.#hostOf(to), 'dev', 'eth0');
    else attempt('neigh', 'del', `${this.#net}.${memberHost + to}`, 'dev', this.#name);
  }

  delay(leastMs: number, mostMs: number): void {
    this.#order({ leastMs, mostMs });
  }

  async end(): Promise<void> {
    await this.#stop();
    this.#remove();
    process.off('exit', this.#remove);
  }

  #hostOf(to: number): string {
    return `${this.#net}.${to === engine ? engineHost : (this.delays ? relayHost : memberHost) + to}`;
  }

  #space(member: number): string {
    return `${this.#name}-${member}`;
  }

  readonly #remove = () => {
    for (let i = 0; i < this.#members; i += 1) attempt('netns', 'del', this.#space(i));
    attempt('link', 'del', this.#name);
  };
}

// The host numbers of the members, of the relays to them, and of the relay to the engine.
let grounds = 0;
const memberHost = 1;
const relayHost = 101;
const engineHost = 201;
const port = 7400;

const ip = (...words: string[]): void => {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'inherit'] });
};

function attempt(...words: string[]): void {
  try {
    execFileSync('ip', words, { stdio: 'ignore' });
  } catch {
    // it did not exist
  }
}
