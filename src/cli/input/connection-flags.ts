// Options of a group from the command line and the environment. Secrets come from the environment only, because other users can see the
// command line.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from '../../cluster/index.ts';
import { InputError } from '../../core/assert.ts';

export const defaultGroup = 'default';

export interface ConnectionFlags {
  readonly engine?: string;
  readonly listen?: string;
  readonly unsafe?: boolean;
}

/** The flags of commands that join a group. */
export interface JoinFlags extends ConnectionFlags {
  readonly local?: boolean;
}

export const connectionHelp = `
On many machines: --engine or BATON_ENGINE says where they agree on who is in the group (etcd://, postgres://, mysql://, redis://, nats://), and --listen or
BATON_LISTEN where the others reach this process (host:port; BATON_ADVERTISE if that is mapped). Then BATON_SECRET is set (and BATON_OLD_SECRET while it is replaced), or BATON_TLS_KEY, BATON_TLS_CERT and BATON_TLS_CA to files.`;

export function connectionOptionsFrom(flags: ConnectionFlags): ConnectionOptions {
  const { env } = process;
  const engine = flags.engine ?? (env.BATON_ENGINE || undefined);
  if (engine === undefined) {
    if (flags.listen === undefined) return {};
    throw new InputError('--listen is for groups on many machines: give --engine, too');
  }
  return {
    engine,
    listen: flags.listen ?? (env.BATON_LISTEN || undefined),
    advertise: env.BATON_ADVERTISE || undefined,
    secret: secretsFrom(env),
    tls: tlsFrom(env),
    unsafe: flags.unsafe,
  };
}

const tlsNames = ['BATON_TLS_KEY', 'BATON_TLS_CERT', 'BATON_TLS_CA'] as const;

function tlsFrom(env: NodeJS.ProcessEnv): ConnectionOptions['tls'] {
  const set = tlsNames.filter((name) => env[name]);
  if (set.length === 0) return undefined;
  const missing = tlsNames.find((name) => !env[name]);
  if (missing !== undefined)
    throw new InputError(`${set[0]} is set, but ${missing} is not: TLS needs all three`);
  const read = () => {
    const [key, cert, ca] = tlsNames.map((name) => contentOf(name, env[name]!)) as [string, string, string];
    return { key, cert, ca };
  };
  read();
  return read; // the files may be replaced
}

function secretsFrom({
  BATON_SECRET: first,
  BATON_OLD_SECRET: old,
}: NodeJS.ProcessEnv): string[] | undefined {
  if (old && !first) throw new InputError('BATON_OLD_SECRET is set, but BATON_SECRET is not');
  return first ? [first, ...(old ? [old] : [])] : undefined;
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InputError(`${name} names a file that cannot be read: ${path}`);
  }
}
