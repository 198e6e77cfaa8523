import type { ServerName } from '../../bench/servers.ts';
import type { Connect } from './contender.ts';

interface Contender {
  readonly title: string;
  readonly server: ServerName;
  readonly load: () => Promise<{ readonly connect: Connect }>;
}

const baton = (title: string, server: ServerName): Contender => ({
  title: `baton on ${title}`,
  server,
  load: () => import('./baton.ts'),
});

export const contenders: Readonly<Record<string, Contender>> = {
  etcd: baton('etcd', 'etcd'),
  postgres: baton('PostgreSQL', 'postgresql'),
  redis: baton('Redis', 'redis'),
  nats: baton('NATS', 'nats'),
  redlock: { title: 'redlock', server: 'redis', load: () => import('./redlock.ts') },
  etcd3: { title: 'etcd3', server: 'etcd', load: () => import('./etcd3.ts') },
};
