// Authenticates peers on other machines by a certificate of the group's authority or by the group's secret. Both sides authenticate
// before either sends data. This proves membership of the group, not the identity of the member.
import { createHash, scrypt } from 'node:crypto';
import {
  createServer as createPlainServer,
  connect as plainConnect,
  type Server,
  type Socket,
} from 'node:net';
import { connect, createSecureContext, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import { BatonError } from '../errors.ts';
import type { Certificates } from './certificates.ts';
import type { SocketAddress } from './socket-address.ts';
import type { RefusalReason } from './transport.ts';

/** How connections are made and accepted, encrypted or not. */
export interface Security {
  server(helloMs: number): Server;
  dial(to: SocketAddress): Socket;
  /** Calls `accept` with every connection whose peer is authenticated. */
  admit(server: Server, accept: (socket: Socket) => void, refused: (why: RefusalReason) => void): void;
}

const shortestSecret = 16;
const longestIdentity = 256; // bytes: PSK_MAX_IDENTITY_LEN of OpenSSL

export async function securityOf(
  group: string,
  tls: Certificates | undefined,
  secret: string | undefined,
): Promise<Security | null> {
  if (tls !== undefined && secret !== undefined)
    throw new BatonError('input', 'give tls or secret, not both: each proves who belongs to the group');
  if (tls !== undefined) return byCertificate(tls);
  if (secret === undefined) return null;
  if (typeof secret !== 'string' || secret.length < shortestSecret)
    throw new BatonError('input', `secret must have at least ${shortestSecret} characters`);
  return bySecret(group, await derivePsk(group, secret));
}

export const plaintext: Security = {
  server: () => createPlainServer(),
  dial: (to) => plainConnect(to),
  admit: (server, accept) => server.on('connection', accept),
};

function byCertificate(tls: Certificates): Security {
  const { key, cert, ca }: Partial<Certificates> = Object(tls);
  if (!key || !cert || !ca)
    throw new BatonError('input', "tls needs key, cert and ca, the group's own authority");
  const own = { key, cert, ca, minVersion: 'TLSv1.3' } as const;
  try {
    createSecureContext(own);
  } catch (cause) {
    throw new BatonError('input', `tls cannot be used: ${(cause as Error).message}`, { cause });
  }
  return secured(
    { ...own, requestCert: true, rejectUnauthorized: false }, // checked after the handshake, so that refusals are counted
    // The authority signs only for the group, so every certificate of it proves membership, whatever host it names.
    (to) => connect({ ...to, ...own, checkServerIdentity: () => undefined }),
    (socket) => socket.authorized,
  );
}

/** TLS 1.3 with a pre-shared key and an ephemeral one: recorded traffic stays secret even if the group's secret leaks. */
function bySecret(group: string, psk: Buffer): Security {
  const own = { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' } as const; // the pre-shared key requires SHA-256
  const identity = identityOf(group);
  return secured(
    { ...own, pskCallback: (_, claimed) => (claimed === identity ? psk : null) }, // fails without the key, as there is no certificate
    (to) =>
      connect({
        ...to,
        ...own,
        ca: [],
        pskCallback: () => ({ psk, identity }),
        checkServerIdentity: () => new Error('a certificate where a secret was expected'),
      }),
    () => true,
  );
}

/** The group's name, as in earlier versions; a hash if the name is too long for TLS, where earlier versions fail. */
const identityOf = (group: string): string =>
  Buffer.byteLength(group) <= longestIdentity
    ? group
    : `sha256 ${createHash('sha256').update(group).digest('hex')}`;

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
        if (why !== null) refused(why);
        socket.destroy();
      });
      server.on('secureConnection', (socket: TLSSocket) => {
        if (isMember(socket)) return accept(socket);
        refused('stranger');
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
