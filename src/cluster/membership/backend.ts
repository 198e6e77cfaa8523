// The engine and the transport of a group, on this machine or on several.
import { InputError } from '../../core/assert.ts';
import type { MemberId } from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import { EmbeddedEngine } from '../engines/local/embedded-engine.ts';
import { openEngine } from '../engines/open-engine.ts';
import type { OpenStore } from '../engines/store.ts';
import { BatonError } from '../errors.ts';
import { checkGroupName } from '../group/arguments.ts';
import type { CertificateSource } from '../transport/certificates.ts';
import type { Transport, TransportListener } from '../transport/transport.ts';
import { listenUnix } from '../transport/unix.ts';
import { engineLeaseFraction } from './lease-margin.ts';

/** Where a group is, and how its members authenticate each other. See [many machines](docs/network.md). */
export interface ConnectionOptions {
  /**
   * The engine that stores the membership of a group on several machines: `etcd://host:2379`, `postgres://…`, `mysql://…`, `redis://…`
   * or `nats://…`; or [your own client](docs/engines/your-own.md), like `postgres(pool)`. Defaults to a group of this user's processes on this
   * machine, which needs no server.
   */
  readonly engine?: string | OpenStore | undefined;
  /** With `engine`: the address to listen on, as `host:port` or `:port`. Defaults to a free port that only this machine can reach. */
  readonly listen?: string | undefined;
  /** With `listen`: the address at which other members reach this one, for example behind a mapped port. Defaults to `listen`. */
  readonly advertise?: string | undefined;
  /**
   * With `listen`: certificates in PEM, from an authority that signs only for members of this group, or a function that returns them.
   * A function is called again every minute, so that [certificates can be replaced](docs/network.md#new-secrets-and-certificates). Defaults to
   * none: an address that other machines can reach needs `tls` or `secret`; on a loopback address, members use a key that the engine keeps.
   */
  readonly tls?: CertificateSource | undefined;
  /**
   * With `listen`, instead of `tls`: a secret that only members of this group know. At least 16 characters. Several secrets are all accepted,
   * and connections are made with the first, so that [the secret can be replaced](docs/network.md#new-secrets-and-certificates). Bun and Deno
   * support only `tls`. Defaults to none.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * Accepts an engine that may lose acknowledged writes. There are then no guarantees, not even that fences increase. Defaults to false.
   */
  readonly unsafe?: boolean | undefined;
}

export interface GroupBackend {
  readonly engine: Engine;
  readonly spansMachines: boolean; // so that some members may not reach each other
  listen(id: MemberId, listener: TransportListener): Promise<Transport>;
}

const unreachableFraction = 0.4; // of a lease, until a peer counts as unreachable

export async function openBackend(
  group: string,
  leaseMs: number,
  options: ConnectionOptions,
): Promise<GroupBackend> {
  checkGroupName(group);
  try {
    return await open(group, leaseMs, options);
  } catch (error) {
    if (error instanceof InputError) throw new BatonError('input', error.message, { cause: error });
    throw error;
  }
}

async function open(group: string, leaseMs: number, options: ConnectionOptions): Promise<GroupBackend> {
  const { engine: chosen, unsafe = false, ...tcpOptions } = options;
  const warn = (sentence: string) => process.emitWarning(sentence, 'BatonWarning');
  const common = { group, leaseMs: engineLeaseFraction * leaseMs, warn };
  if (chosen !== undefined) {
    const { listenTcp } = await import('../transport/tcp.ts'); // a group of one machine needs no TLS
    const engine = await openEngine(chosen, { ...common, unsafe });
    const groupKey = () => engine.groupKey(); // read for every transport: an engine that was wiped has another one
    const unreachableAfterMs = unreachableFraction * leaseMs;
    return {
      engine,
      spansMachines: true,
      listen: (id, listener) =>
        listenTcp({ ...tcpOptions, groupKey, unreachableAfterMs }, { group, id, listener }),
    };
  }
  for (const name of ['listen', 'advertise', 'tls', 'secret'] as const)
    if (tcpOptions[name] !== undefined)
      throw new BatonError('input', `${name} is for groups on many machines: say which engine, too`);
  const engine = new EmbeddedEngine(common);
  return {
    engine,
    spansMachines: false,
    listen: (id, listener) => engine.listen(id, (path) => listenUnix(path, { group, id, listener })),
  };
}
