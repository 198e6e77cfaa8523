// URLs of engines, which may name several hosts, and names of groups in keys.
import { InputError } from '../../core/assert.ts';

export interface EngineHost {
  readonly name: string; // without the brackets of IPv6
  readonly port: number;
}

export interface EngineUrl {
  readonly scheme: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly hosts: readonly EngineHost[];
}

const shape = /^([a-z]+):\/\/(?:([^@:/]+)(?::([^@/]*))?@)?([^@/?#]+)\/?$/;
const hostShape = /^(?:\[([\da-fA-F:.%]+)\]|([^[\]:\s]+))(?::(\d{1,5}))?$/;

/** Parses `scheme://[user[:password]@]host[:port][,host[:port]...]`. Errors do not repeat the URL, which may contain a password. */
export function parseEngineUrl(text: string, defaultPort: number): EngineUrl {
  const [, scheme = '', user, password, list = ''] = shape.exec(text) ?? [];
  const hosts = list.split(',').map((host): EngineHost => {
    const [, bracketed, plain, port = defaultPort] = hostShape.exec(host) ?? [];
    return { name: bracketed ?? plain ?? '', port: Number(port) };
  });
  const isValid = hosts.every(({ name, port }) => name !== '' && port > 0 && port < 65_536);
  const [name, secret] = [decoded(user), decoded(password)];
  if (isValid && name !== undefined && secret !== undefined)
    return { scheme, user: name, password: secret, hosts };
  const begin = /^[a-z]+/.exec(text)?.[0] ?? '';
  throw new InputError(
    `the address of the engine is not ${begin}://[user:password@]host:${defaultPort}[,host:port...], with special characters of user and password as %XX`,
  );
}

function decoded(text: string | undefined): string | null | undefined {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export const hostText = ({ name, port }: EngineHost): string =>
  `${name.includes(':') ? `[${name}]` : name}:${port}`;

const authority = /^[a-z]+:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:[/?#][^@]*)?$/;

/** Returns the hosts in the URL of an engine, for people to read; null in doubt, because the URL may contain a password. */
export const engineHosts = (engine: unknown): string | null =>
  typeof engine === 'string' ? (authority.exec(engine)?.[1] ?? null) : null;

/** Escapes a name for a key: letters, digits, `_` and `-` stay, other bytes become the mark and two hexadecimal digits. */
export const escapeKey = (name: string, mark: string): string =>
  [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w-]/.test(character) ? character : mark + byte.toString(16).toUpperCase().padStart(2, '0');
    })
    .join('') || mark;
