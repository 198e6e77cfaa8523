// Authenticates peers over TCP by a certificate of the group's authority, by the group's secret, or by a key that the engine keeps. Both
// sides authenticate before either sends data. This proves membership of the group, not the identity of the member.
import { createHmac, createPrivateKey, scrypt, X509Certificate } from 'node:crypto';
import type { Server, Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  createServer,
  type SecureContext,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls';
import { promisify } from 'node:util';
import { BatonError } from '../errors.ts';
import { otherRuntime } from '../runtime.ts';
import type { CertificateSource, Certificates } from './certificates.ts';
import { remoteHost, type SocketAddress } from './socket-address.ts';
import type { RefusalReason, TransportListener } from './transport.ts';

/** How connections are made and accepted. */
export interface Security {
  server(helloMs: number): TlsServer;
  dial(to: SocketAddress): Socket;
  /** Calls `accept` with every connection whose peer is authenticated. */
  admit(server: Server, accept: (socket: Socket) => void, refused: TransportListener['refused']): void;
}

/** What members of one group have in common: certificates of one authority, a secret, or the key that the engine keeps. */
export interface Credentials {
  readonly tls?: CertificateSource | undefined;
  /** Several secrets are all accepted. Connections are made with the first. */
  readonly secret?: string | readonly string[] | undefined;
  /** Returns the key of the group, 32 random bytes. Called if there is neither `tls` nor `secret`. */
  readonly groupKey: () => Promise<Uint8Array>;
}

const shortestSecret = 16;
const reloadEveryMs = 60_000;

export async function securityOf(group: string, credentials: Credentials): Promise<Security> {
  const { tls, secret, groupKey } = credentials;
  if (tls !== undefined && secret !== undefined)
    throw new BatonError('input', 'give tls or secret, not both: each proves who belongs to the group');
  if (tls !== undefined) return byCertificate(tls);
  const secrets = secret === undefined ? null : [secret].flat();
  if (secrets?.length === 0) throw new BatonError('input', 'secret needs at least one secret');
  for (const one of secrets ?? [])
    if (typeof one !== 'string' || one.length < shortestSecret)
      throw new BatonError('input', `secret must have at least ${shortestSecret} characters`);
  if (otherRuntime !== null)
    throw new BatonError(
      'input',
      `${otherRuntime} does not support pre-shared keys in TLS, by which members without certificates authenticate each other: give tls, in all processes of the group`,
    );
  return byKeys(
    secrets === null ? [await groupKey()] : await Promise.all(secrets.map((one) => derivePsk(group, one))),
  );
}

async function byCertificate(source: CertificateSource): Promise<Security> {
  let own = await load(source);
  const { secureContext: _, ...options } = own;
  const security = secured(
    { ...options, requestCert: true, rejectUnauthorized: false }, // checked after the handshake, so that refusals are counted
    // The authority signs only for the group, so every certificate of it proves membership, whatever host it names.
    (to) => connect({ ...to, secureContext: own.secureContext, checkServerIdentity: () => undefined }),
    (socket) => socket.authorized && socket.getPeerCertificate().raw !== undefined, // older versions of Deno authorize a client without a certificate
  );
  if (typeof source !== 'function') return security;
  return {
    ...security,
    server(helloMs) {
      const server = security.server(helloMs);
      const reload = async () => {
        const next = await load(source);
        if (next.key === own.key && next.cert === own.cert && next.ca === own.ca) return;
        const { secureContext: _, ...options } = next;
        server.setSecureContext(options);
        own = next;
      };
      const keepOld = ({ message }: Error) =>
        process.emitWarning(`${message}: the certificates before stay in use`, 'BatonWarning');
      const timer = setInterval(() => reload().catch(keepOld), reloadEveryMs).unref();
      return server.on('close', () => clearInterval(timer));
    },
  };
}

/** Returns certificates that can be used, and the context for all connections, as it is expensive to make. */
async function load(
  source: CertificateSource,
): Promise<Certificates & { readonly minVersion: 'TLSv1.3'; readonly secureContext: SecureContext }> {
  try {
    const { key, cert, ca }: Partial<Certificates> = Object(
      typeof source === 'function' ? await source() : source,
    );
    if (!key || !cert || !ca)
      throw new BatonError('input', "tls needs key, cert and ca, the group's own authority");
    const own = { key, cert, ca, minVersion: 'TLSv1.3' } as const;
    const secureContext = createSecureContext(own);
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      // Deno creates the context nevertheless
      throw new Error('the key is not that of the certificate');
    return { ...own, secureContext };
  } catch (cause) {
    if (cause instanceof BatonError) throw cause;
    throw new BatonError('input', `tls cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * TLS 1.3 with a pre-shared key and an ephemeral one: recorded traffic stays secret even if the group's key leaks. The first key is that of
 * our connections; those of others may have any.
 */
function byKeys(psks: readonly Uint8Array[]): Security {
  const own = { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' } as const; // the pre-shared key requires SHA-256
  const secureContext = createSecureContext({ ...own, ca: [] });
  const known = new Map(psks.map((psk) => [identityOf(psk), psk]));
  const [[identity, psk]] = [...known] as [[string, Uint8Array]];
  return secured(
    { ...own, pskCallback: (_, claimed) => known.get(claimed) ?? null }, // fails without the key, as there is no certificate
    (to) =>
      connect({
        ...to,
        secureContext,
        pskCallback: () => ({ psk, identity }),
        checkServerIdentity: () => new Error('a certificate where a key was expected'),
      }),
    () => true,
  );
}

/**
 * A client sends the identity in clear, to whoever listens at the address. So it does not name the group, and a hash of the name could be
 * guessed: it depends on the key alone, and shows a stranger only which connections belong to one group.
 */
const identityOf = (psk: Uint8Array): string =>
  createHmac('sha256', psk).update('baton identity').digest('hex').slice(0, 32);

function secured(
  options: TlsOptions,
  dial: (to: SocketAddress) => Socket,
  isMember: (socket: TLSSocket) => boolean,
): Security {
  return {
    server: (helloMs) => createServer({ ...options, handshakeTimeout: helloMs }),
    dial,
    admit(server, accept, refused) {
      server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
        const why = refusalOf(error);
        if (why !== null) refused(why, remoteHost(socket));
        socket.destroy();
      });
      server.on('secureConnection', (socket: TLSSocket) => {
        if (isMember(socket)) return accept(socket);
        refused('stranger', remoteHost(socket));
        socket.on('error', () => {}).destroy();
      });
    },
  };
}

/** Returns null for errors of the system: the peer sent nothing to refuse. */
function refusalOf({ code = '' }: NodeJS.ErrnoException): RefusalReason | null {
  if (!code.startsWith('ERR_SSL_')) return null;
  return /WRONG_VERSION_NUMBER|HTTP|UNEXPECTED_MESSAGE|RECORD|LENGTH|PACKET/.test(code)
    ? 'malformed'
    : 'stranger';
}

/** Slow on purpose: an attacker could try secrets against a recorded handshake. */
function derivePsk(group: string, secret: string): Promise<Buffer> {
  return promisify<string, string, number, Buffer>(scrypt)(secret, `baton group ${group}`, 32);
}
