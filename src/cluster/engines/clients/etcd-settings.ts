// etcd with settings that a URL cannot have.
import { optionNames } from '../../../core/did-you-mean.ts';
import { BatonError } from '../../errors.ts';
import { checkKnownOptions, checkOptions } from '../../group/arguments.ts';
import type { EngineUrl } from '../engine-url.ts';
import { defaultEtcdPort, openEtcdAt } from '../remote/etcd.ts';
import type { EtcdTls } from '../remote/etcd-gateway.ts';
import type { OpenStore } from '../store.ts';

export type { EtcdTls };

/** Options of {@link etcd}. */
export interface EtcdOptions {
  /** The hosts of the cluster, like `https://etcd-1.example:2379`. Any that answers is asked. */
  readonly hosts: string | readonly string[];
  /** The user. Defaults to none. */
  readonly user?: string | undefined;
  /** The password of the user. Defaults to none. */
  readonly password?: string | undefined;
  /** Certificates in PEM, for hosts with `https://`. Defaults to the authorities that Node trusts, and no certificate of this process. */
  readonly tls?: EtcdTls | undefined;
}

const names = optionNames<EtcdOptions>({ hosts: true, user: true, password: true, tls: true });
const tlsNames = optionNames<EtcdTls>({ ca: true, cert: true, key: true });

/**
 * Makes etcd the engine of a group, with certificates of your own, for example. Without them, the URL `etcd://user:password@host` does the
 * same. Needs no package: etcd is asked over HTTP.
 *
 * @throws {BatonError} `input` when an option is wrong.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type EtcdOptions, etcd } from 'batonjs/etcd';
 *
 * export const joinOrders = (tls: EtcdOptions['tls']): Promise<Group> =>
 *   join('orders', {
 *     engine: etcd({ hosts: ['https://etcd-1.example:2379', 'https://etcd-2.example:2379'], tls }),
 *     listen: ':7400',
 *     secret: process.env.ORDERS_SECRET,
 *   });
 */
export function etcd(options: EtcdOptions): OpenStore {
  checkOptions(options);
  checkKnownOptions('etcd', options, names);
  const { hosts, user = null, password = null, tls = {} } = options;
  checkOptions(tls);
  checkKnownOptions('tls', tls, tlsNames);
  const address = { ...hostsIn([hosts].flat()), user, password };
  return (storeOptions) => openEtcdAt(address, tls, storeOptions);
}

function hostsIn(hosts: readonly string[]): Pick<EngineUrl, 'scheme' | 'hosts'> {
  const urls = hosts.map((host) => {
    if (typeof host === 'string' && URL.canParse(host)) {
      const url = new URL(host);
      const isPlain = url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '';
      if (isPlain && /^https?:$/.test(url.protocol)) return url;
    }
    throw new BatonError(
      'input',
      'the hosts of etcd are written like https://etcd-1.example:2379, without user, password and path',
    );
  });
  const schemes = new Set(urls.map(({ protocol }) => protocol));
  if (schemes.size !== 1)
    throw new BatonError('input', 'etcd needs at least one host, and https:// for all hosts or for none');
  return {
    scheme: schemes.has('https:') ? 'etcds' : 'etcd',
    hosts: urls.map(({ hostname, port }) => ({
      name: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? defaultEtcdPort : Number(port),
    })),
  };
}
