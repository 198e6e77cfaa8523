// Where a group is: on this machine, or wherever its engine is reached from.
import { InputError } from '../../core/assert.ts';
import type { MemberId } from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import { EmbeddedEngine } from '../engines/local/embedded-engine.ts';
import { openEngine } from '../engines/open-engine.ts';
import { BatonError } from '../errors.ts';
import { checkGroupName } from '../group/arguments.ts';
import type { Certificates } from '../transport/security.ts';
import { listenTcp } from '../transport/tcp.ts';
import type { Transport, TransportListener } from '../transport/transport.ts';
import { listenUnix } from '../transport/unix.ts';
import { engineLeaseFraction } from './lease-margin.ts';

export interface ConnectionOptions {
  /**
   * Where many machines agree on who is in the group: `etcd://host:2379`, `postgres://…`, `redis://…` or `nats://…`. If not said, the
   * group is that of this user's processes on this machine, and needs nothing.
   */
  readonly engine?: string | undefined;
  /** With `engine`: where the other members reach this one, as `host:port` or `:port`. If not said, only on this machine. */
  readonly listen?: string | undefined;
  /** With `listen`: where they reach it, if not there, as behind a port that is mapped. */
  readonly advertise?: string | undefined;
  /** With `listen`: in PEM, of a certification authority that signs for this group's members and nobody else. */
  readonly tls?: Certificates | undefined;
  /** With `listen`, instead of `tls`: known to the group's members and nobody else. At least 16 characters. */
  readonly secret?: string | undefined;
  /** Accepts an engine that may forget what it has acknowledged. Nothing is promised then, not even that fences rise. */
  readonly unsafe?: boolean | undefined;
}

export interface GroupBackend {
  readonly engine: Engine;
  readonly spansMachines: boolean; // over machines of which not all may reach all
  listen(id: MemberId, listener: TransportListener): Promise<Transport>;
}

const unreachableFraction = 0.4; // of a lease, for a peer that is not reached

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
  const { engine: address, unsafe = false, ...reach } = options;
  const warn = (sentence: string) => process.emitWarning(sentence, 'BatonWarning');
  const common = { group, leaseMs: engineLeaseFraction * leaseMs, warn };
  if (address !== undefined)
    return {
      engine: await openEngine({ ...common, address, unsafe }),
      spansMachines: true,
      listen: (id, listener) =>
        listenTcp({ ...reach, unreachableAfterMs: unreachableFraction * leaseMs }, { group, id, listener }),
    };
  for (const name of ['listen', 'advertise', 'tls', 'secret'] as const)
    if (reach[name] !== undefined)
      throw new BatonError('input', `${name} is for groups on many machines: say which engine, too`);
  const engine = new EmbeddedEngine(common);
  return {
    engine,
    spansMachines: false,
    listen: (id, listener) => listenUnix(engine.address(id), { group, id, listener }),
  };
}
