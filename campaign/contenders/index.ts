import type { ServerName } from '../../bench/servers.ts';
import type { FaultFamily } from '../nemesis.ts';
import type { Connect } from './contender.ts';

interface Contender {
  readonly title: string;
  readonly server: ServerName | null; // null: the members share the files of one machine
  readonly faults: readonly FaultFamily[]; // what can fail here
  readonly load: () => Promise<{ readonly connect: Connect }>;
}

const onServer: readonly FaultFamily[] = ['processes', 'network', 'engine'];

const baton = (title: string, server: ServerName): Contender => ({
  title: `baton on ${title}`,
  server,
  faults: onServer,
  load: () => import('./baton.ts'),
});

export const contenders: Readonly<Record<string, Contender>> = {
  embedded: {
    title: 'baton on files',
    server: null,
    faults: ['processes', 'files'], // the members share a machine: there is no network to cut and no server to kill
    load: () => import('./baton.ts'),
  },
  etcd: baton('etcd', 'etcd'),
  postgres: baton('PostgreSQL', 'postgresql'),
  redis: baton('Redis', 'redis'),
  nats: baton('NATS', 'nats'),
  mysql: baton('MariaDB', 'mariadb'),
  redlock: { title: 'redlock', server: 'redis', faults: onServer, load: () => import('./redlock.ts') },
  etcd3: { title: 'etcd3', server: 'etcd', faults: onServer, load: () => import('./etcd3.ts') },
};
