import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readlinkSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { bootId } from '../boot-id.ts';
import { BatonError } from '../errors.ts';

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
  readonly machine?: string | undefined; // the machine of a loopback address
}

/** Identifies this machine or container: processes with the same value share loopback addresses. */
export const thisMachine: string = createHash('sha256')
  .update(bootId + networkHere())
  .digest('hex')
  .slice(0, 8);

function networkHere(): string {
  try {
    return readlinkSync('/proc/self/ns/net');
  } catch {
    return hostname();
  }
}

const allInterfaces = ['', '0.0.0.0', '::'];

/** Parses 'host:port', ':port' or '[host]:port', each with an optional '/machine'. Returns null for anything else. */
export function parseSocketAddress(address: string): SocketAddress | null {
  const [, bracketed, plain, port = '', machine] =
    /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})(?:\/([0-9a-f]{8}))?$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65535 || (bracketed !== undefined && isIP(bracketed) !== 6))
    return null;
  return { host, port: Number(port), machine };
}

export const formatSocketAddress = ({ host, port, machine }: SocketAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${machine === undefined ? '' : `/${machine}`}`;

/** Returns the host that a connection comes from, null if unknown. Its port is another for every connection. */
export const remoteHost = ({ remoteAddress }: Socket): string | null =>
  remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? null;

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Returns the address to listen on, the host that others dial, and whether only this machine can reach it. */
export async function resolveListenAddress(
  listen: string,
): Promise<SocketAddress & { readonly advertised: string; readonly isLocal: boolean }> {
  const parsed = parseSocketAddress(listen);
  if (parsed === null)
    throw new BatonError(
      'input',
      `listen must be 'host:port', ':port' or '[host]:port', for example ':7400', not '${listen}'`,
    );
  const { host, port } = parsed;
  if (allInterfaces.includes(host)) return { host, port, advertised: ownHost(listen), isLocal: false };
  const found = isIP(host) === 0 ? await hostNamed(host, listen) : host;
  return { host: found, port, advertised: host, isLocal: isLoopback(found) };
}

async function hostNamed(name: string, listen: string): Promise<string> {
  try {
    return (await lookup(name)).address;
  } catch (cause) {
    throw new BatonError('input', `cannot listen on ${listen}: no address is known for '${name}'`, { cause });
  }
}

/** Returns the first external address of this machine, IPv4 if it has one. */
function ownHost(listen: string): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const own = outward.find(({ family }) => family === 'IPv4') ?? outward[0];
  if (own === undefined)
    throw new BatonError(
      'input',
      `cannot listen on ${listen}: this machine has no address that others could reach; name one, or 127.0.0.1:0`,
    );
  return own.address;
}
