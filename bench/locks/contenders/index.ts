import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Server, type ServerName, start } from '../../servers.js';
import type { Connect } from './contender.js';

export interface Contender {
  readonly title: string;
  readonly mostProcesses: number;
  /** Starts the server that processes connect to. Returns null if that is impossible here. */
  readonly open: () => Promise<Server | null>;
  readonly load: () => Promise<{ readonly connect: Connect }>;
  /** How the next process gets the lock after its holder dies or hangs. */
  readonly onDeath: 'told' | 'lease';
  readonly onHang: 'lease' | 'never';
}

const nothing = async () => ({ url: `bench-${process.pid}`, stop: async () => {} });
const served = (name: ServerName) => () => start(name);

export const contenders = {
  ours: {
    title: 'baton',
    mostProcesses: 64,
    open: nothing,
    load: () => import('./ours.js'),
    onDeath: 'told',
    onHang: 'lease',
  },
  broker: {
    title: 'bare broker, unix socket',
    mostProcesses: 64,
    open: openBroker,
    load: () => import('../broker.js'),
    onDeath: 'told',
    onHang: 'never',
  },
  postgresql: {
    title: 'PostgreSQL advisory locks',
    mostProcesses: 64,
    open: served('postgresql'),
    load: () => import('./postgresql.js'),
    onDeath: 'told',
    onHang: 'never',
  },
  redlock: {
    title: 'redlock on Redis',
    mostProcesses: 64,
    open: served('redis'),
    load: () => import('./redlock.js'),
    onDeath: 'lease',
    onHang: 'lease',
  },
  etcd3: {
    title: 'etcd3',
    mostProcesses: 64,
    open: served('etcd'),
    load: () => import('./etcd.js'),
    onDeath: 'lease',
    onHang: 'lease',
  },
  lockfile: {
    title: 'proper-lockfile',
    mostProcesses: 64,
    open: openFolder,
    load: () => import('./lockfile.js'),
    onDeath: 'lease',
    onHang: 'lease',
  },
  'async-mutex': {
    title: 'async-mutex, one process',
    mostProcesses: 1,
    open: nothing,
    load: () => import('./async-mutex.js'),
    onDeath: 'told',
    onHang: 'never',
  },
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof contenders;
export const contenderNames = Object.keys(contenders) as ContenderName[];

function temporaryFolder(): Server {
  const url = mkdtempSync(join(tmpdir(), 'locks-'));
  return { url, stop: async () => rmSync(url, { recursive: true, force: true }) };
}

async function openFolder(): Promise<Server> {
  return temporaryFolder();
}

async function openBroker(): Promise<Server> {
  const folder = temporaryFolder();
  const url = join(folder.url, 'socket');
  const broker = fork(fileURLToPath(new URL('../broker.js', import.meta.url)), [url]);
  await once(broker, 'message'); // it listens
  return {
    url,
    pid: broker.pid,
    stop: async () => {
      broker.kill();
      await folder.stop();
    },
  };
}
