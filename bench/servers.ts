// Servers for comparisons and tests: finds or installs them, starts them on a free loopback port in a temporary folder, and stops them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Server {
  readonly url: string;
  readonly pid?: number | undefined; // its children count as part of it
  stop(): Promise<void>; // also removes its data
}

export interface Database extends Server {
  readonly folder: string; // its data
  kill(): Promise<void>; // with SIGKILL; its data stays
  again(): Promise<void>; // restarts it on the same data and port
}

interface Kind {
  readonly command: string;
  readonly debian: string; // the package that contains the command
  readonly folders?: () => readonly string[]; // where it may be, besides the usual folders
  readonly scheme: string;
  readonly user?: string; // the user that root must switch to
  readonly login?: string; // the user in the url. Defaults to `user`
  readonly prepare?: (command: string, folder: string, owner: Owner, around: Around) => void;
  readonly args: (folder: string, ports: readonly number[]) => readonly string[];
  /** Additional arguments with which the server loses nothing that it acknowledged. */
  readonly durable: readonly string[] | ((command: string, folder: string) => readonly string[]);
  readonly path?: string; // of the url
  readonly isReady?: (command: string, port: number) => Promise<boolean>; // if accepting connections is not enough
  readonly signal?: NodeJS.Signals; // to stop it quickly, instead of SIGTERM
}

interface Around {
  readonly ports: readonly number[];
  readonly before: string; // the url of the server behind it
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

const postgresFolders = () => {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  return readdirSync(versions).map((version) => `${versions}/${version}/bin`);
};

/** NATS has this setting from 2.10 on. Older versions may lose acknowledged data. */
const syncedNats = (command: string, folder: string) => {
  const file = join(folder, 'nats.conf');
  writeFileSync(file, 'jetstream { sync_interval: always }\n');
  const isKnown = spawnSync(command, ['-t', '-c', file], { stdio: 'ignore' }).status === 0;
  return isKnown ? ['-c', file] : [];
};

/** Settings of the server, and of the program that makes its folder: small files, and no settings of this machine. */
const mariadb = (folder: string) => [
  ...['--no-defaults', `--datadir=${folder}`, '--innodb-flush-log-at-trx-commit=0'],
  ...['--innodb-log-file-size=10M', '--innodb-buffer-pool-size=32M'],
];

// No data must outlive a comparison, so servers keep it in memory where they can, unless `durable` is given.
const kinds = {
  redis: {
    command: 'redis-server',
    debian: 'redis-server',
    scheme: 'redis',
    args: (folder, [port]) => [
      ...['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder],
      ...['--save', '', '--appendonly', 'no'],
    ],
    durable: ['--appendonly', 'yes', '--appendfsync', 'always'],
  },
  postgresql: {
    command: 'postgres',
    debian: 'postgresql',
    folders: postgresFolders,
    scheme: 'postgresql',
    user: 'postgres',
    prepare: (command, folder, owner) =>
      execFileSync(
        join(command, '..', 'initdb'),
        ['--auth=trust', '--username=postgres', '--no-sync', folder],
        { stdio: 'ignore', cwd: folder, ...owner },
      ),
    args: (folder, [port]) => [
      ...['-D', folder, '-k', folder, '-p', `${port}`],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=200'],
    ],
    durable: ['-c', 'fsync=on'],
    path: '/postgres',
    isReady: async (command, port) =>
      spawnSync(join(command, '..', 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`]).status === 0,
    signal: 'SIGINT',
  },
  // A pooler that lends a connection for one transaction. Watchers receive nothing through it.
  pgbouncer: {
    command: 'pgbouncer',
    debian: 'pgbouncer',
    folders: () => ['/usr/sbin'],
    scheme: 'postgresql',
    user: 'postgres', // it refuses to run as root
    prepare: (_, folder, __, { ports, before }) => {
      const { hostname, port, username } = new URL(before);
      const lines = [
        ...['[databases]', `* = host=${hostname} port=${port} user=${username}`],
        ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${ports[0]}`, 'unix_socket_dir ='],
        ...['auth_type = any', 'pool_mode = transaction', 'default_pool_size = 4'],
      ];
      writeFileSync(join(folder, 'pgbouncer.ini'), lines.join('\n'));
    },
    args: (folder) => [join(folder, 'pgbouncer.ini')],
    durable: [],
    path: '/postgres',
  },
  mariadb: {
    command: 'mariadbd',
    debian: 'mariadb-server',
    folders: () => ['/usr/sbin'],
    scheme: 'mysql',
    user: 'mysql', // it refuses to run as root
    login: 'root',
    prepare: (_, folder, owner) =>
      execFileSync(
        'mariadb-install-db',
        [...mariadb(folder), '--auth-root-authentication-method=normal', '--skip-name-resolve'],
        { stdio: 'ignore', cwd: folder, ...owner },
      ),
    args: (folder, [port]) => [
      ...mariadb(folder),
      ...['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${folder}/socket`],
      ...[`--pid-file=${folder}/pid`, '--skip-name-resolve', '--max-connections=200'],
    ],
    durable: ['--innodb-flush-log-at-trx-commit=1'],
    path: '/test',
    isReady: async (_, port) =>
      spawnSync('mariadb-admin', ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot', 'ping']).status ===
      0,
  },
  etcd: {
    command: 'etcd',
    debian: 'etcd-server',
    scheme: 'http',
    args: (folder, [port, peers]) => [
      ...['--data-dir', folder, '--log-level', 'error'],
      ...['--bcrypt-cost', '4'], // the least: to check a password takes long on a busy machine otherwise
      ...[
        '--listen-client-urls',
        `http://127.0.0.1:${port}`,
        '--listen-peer-urls',
        `http://127.0.0.1:${peers}`,
      ],
      ...['--advertise-client-urls', `http://127.0.0.1:${port}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peers}`],
      ...['--initial-cluster', `default=http://127.0.0.1:${peers}`],
    ],
    durable: [],
    isReady: async (_, port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      return answer?.ok === true && (await answer.text()).includes('true');
    },
  },
  nats: {
    command: 'nats-server',
    debian: 'nats-server',
    folders: () => ['/usr/sbin'],
    scheme: 'nats',
    args: (folder, [port]) => [
      '--addr',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--jetstream',
      '--store_dir',
      folder,
    ],
    durable: syncedNats,
  },
} satisfies Record<string, Kind>;

export type ServerName = keyof typeof kinds;

/** Starts a server. Returns null if it is missing and cannot be installed. */
export async function start(
  name: ServerName,
  {
    durable = false,
    before = '',
    settings = [],
  }: { durable?: boolean; before?: string; settings?: readonly string[] } = {},
): Promise<Database | null> {
  const kind: Kind = kinds[name];
  const command = installed(kind.command, kind.debian, kind.folders);
  if (command === null) return null;
  const owner = kind.user === undefined || !isRoot() ? {} : ownerOf(kind.user);
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid!);
  const ports = await freePorts(2);
  kind.prepare?.(command, folder, owner, { ports, before });
  const more = !durable
    ? []
    : typeof kind.durable === 'function'
      ? kind.durable(command, folder)
      : kind.durable;
  const args = [...kind.args(folder, ports), ...more, ...settings];
  const isReady = async () =>
    (await accepts(ports[0]!)) && (await kind.isReady?.(command, ports[0]!)) !== false;
  let server = await started(name, spawned(command, args, folder, owner), isReady);
  return {
    url: urlOf(kind, ports[0]!),
    folder,
    get pid() {
      return server.pid;
    },
    kill: () => end(server, 'SIGKILL'),
    again: async () => {
      // The children of a killed PostgreSQL outlive it for a moment, and keep the next server from starting.
      for (let attempt = 1; ; attempt += 1)
        try {
          server = await started(name, spawned(command, args, folder, owner), isReady);
          return;
        } catch (error) {
          if (attempt === 20) throw error;
          await pause(250);
        }
    },
    stop: async () => {
      await end(server, kind.signal ?? 'SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function spawned(command: string, args: readonly string[], cwd: string, owner: Owner): ChildProcess {
  const server = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], ...owner });
  const killed = () => server.kill('SIGKILL');
  process.on('exit', killed);
  server.on('exit', () => process.off('exit', killed));
  return server;
}

async function started(
  name: string,
  server: ChildProcess,
  isReady: () => Promise<boolean>,
): Promise<ChildProcess> {
  let said = '';
  server.stderr!.on('data', (text) => {
    said = `${said}${text}`.slice(-2000);
  });
  if (await becomes(isReady, server)) return server;
  await end(server, 'SIGKILL');
  throw new Error(`${name} did not start: ${said}`);
}

/** Returns the path of a command, or null if it is missing and cannot be installed. */
export function installed(command: string, debian: string, folders?: Kind['folders']): string | null {
  const found = find(command, folders);
  if (found !== null) return found;
  install(debian);
  return find(command, folders);
}

function find(command: string, folders: Kind['folders']): string | null {
  const places = [...(process.env.PATH ?? '').split(':'), ...(folders?.() ?? [])];
  // PostgreSQL's commands look for each other in their own folder, so a link to one of them is not enough.
  const found = (folders === undefined ? places : places.reverse()).find((place) =>
    existsSync(join(place, command)),
  );
  return found === undefined ? null : join(found, command);
}

function install(debian: string): void {
  if (!isRoot() || spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0) return;
  console.error(`installing ${debian}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }; // keeps apt from starting the server
  const apt = (...args: string[]) =>
    // Test files install at the same time, and apt-get does not wait for another one by itself.
    spawnSync(
      'flock',
      [join(tmpdir(), 'baton-apt-get'), 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args],
      {
        stdio: 'ignore',
        env,
      },
    );
  apt('update');
  apt('install', '-y', '--no-install-recommends', debian);
}

const isRoot = () => process.getuid?.() === 0;

function ownerOf(user: string): Owner {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

const urlOf = ({ scheme, user, login = user, path = '' }: Kind, port: number) =>
  `${scheme}://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}${path}`;

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function becomes(isReady: () => Promise<boolean>, server: ChildProcess): Promise<boolean> {
  for (let attempt = 0; attempt < 300 && server.exitCode === null; attempt += 1) {
    if (await isReady()) return true;
    await pause(100);
  }
  return false;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  const late = setTimeout(() => server.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(late);
}
