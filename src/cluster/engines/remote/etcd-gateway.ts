// A client of the HTTP/JSON gateway of etcd 3.4 and newer, at any host that answers. There is no maintained client package: etcd3, the
// one for Node, has had no release since 2023.
import http from 'node:http';
import https from 'node:https';
import { InputError } from '../../../core/assert.ts';
import { unavailable } from '../../errors.ts';
import { type EngineHost, type EngineUrl, hostText } from '../engine-url.ts';

export type JsonObject = { readonly [field: string]: unknown };

/** Certificates for a connection to etcd. */
export interface EtcdTls {
  /** The authority that signs for the hosts, in PEM. Defaults to those that Node trusts. */
  readonly ca?: string | undefined;
  /** The certificate of this process, in PEM. Defaults to none. */
  readonly cert?: string | undefined;
  /** The private key of `cert`, in PEM. Defaults to none. */
  readonly key?: string | undefined;
}

export interface EtcdResponse {
  readonly body: JsonObject;
  readonly wallMs: number; // by the clock of the host, in whole seconds
}

/** The host did not answer the question: another host may. */
class EtcdUnreachable extends Error {}

/** An error reported by etcd. */
class EtcdError extends Error {}

export class EtcdGateway {
  readonly #address: EngineUrl;
  readonly #isTls: boolean;
  readonly #timeoutMs: number;
  readonly #agent: http.Agent;
  #current = 0; // index of the host that answered last
  #token: Promise<string> | null = null;

  constructor(address: EngineUrl, tls: EtcdTls, timeoutMs: number) {
    this.#address = address;
    this.#isTls = address.scheme === 'etcds';
    this.#timeoutMs = timeoutMs;
    this.#agent = this.#isTls
      ? new https.Agent({ keepAlive: true, ...tls })
      : new http.Agent({ keepAlive: true });
  }

  /** The operation may be carried out even if this rejects, and more than once if it resolves. Use it only where this is harmless. */
  async ask(path: string, question: JsonObject): Promise<EtcdResponse> {
    const token = this.#tokenNow();
    try {
      return await this.#askAnyHost(path, question, await token);
    } catch (error) {
      if (!isTokenRefused(error) || this.#address.user === null) throw this.#toUserError(error);
      if (this.#token === token) this.#token = null;
    }
    return this.#askAnyHost(path, question, await this.#tokenNow()).catch((error) => {
      throw this.#toUserError(error);
    });
  }

  /** Calls `onResult` with each result of a stream until it returns false. Rejects if the stream ends before, or if the signal aborts. */
  async follow(
    path: string,
    question: JsonObject,
    signal: AbortSignal,
    onResult: (result: JsonObject) => boolean,
  ): Promise<void> {
    const host = this.#address.hosts[this.#current]!;
    const request = this.#request(host, path, await this.#tokenNow(), signal);
    const timer = setTimeout(() => request.destroy(new EtcdUnreachable('no answer')), this.#timeoutMs);
    let rest = '';
    await new Promise<void>((resolve, reject) => {
      request.on('error', reject).on('close', () => reject(new EtcdUnreachable('ended')));
      request.on('response', (response) => {
        response.setEncoding('utf8').on('error', reject);
        response.on('data', (text: string) => {
          clearTimeout(timer);
          const lines = (rest + text).split('\n');
          rest = lines.pop()!;
          for (const line of lines) {
            const { result } = jsonOf(line);
            if (typeof result !== 'object') {
              request.destroy(new EtcdUnreachable('not a stream'));
              return;
            }
            if (onResult(result as JsonObject)) continue;
            resolve();
            request.destroy();
            return;
          }
        });
      });
      request.end(JSON.stringify(question));
    }).finally(() => clearTimeout(timer));
  }

  close(): void {
    this.#agent.destroy();
  }

  get hosts(): string {
    return this.#address.hosts.map(hostText).join(', ');
  }

  async #askAnyHost(path: string, question: JsonObject, token: string): Promise<EtcdResponse> {
    const { hosts } = this.#address;
    const first = this.#current;
    let why: EtcdUnreachable | null = null;
    for (let i = 0; i < hosts.length; i += 1) {
      const k = (first + i) % hosts.length;
      try {
        const answer = await this.#askHost(hosts[k]!, path, question, token);
        this.#current = k;
        return answer;
      } catch (error) {
        if (!(error instanceof EtcdUnreachable)) throw error;
        why ??= error;
      }
    }
    this.#current = (first + 1) % hosts.length;
    throw why!;
  }

  async #askHost(host: EngineHost, path: string, question: JsonObject, token: string): Promise<EtcdResponse> {
    const { status, date, text } = await this.#exchange(host, path, question, token);
    const body = jsonOf(text.split('\n', 1)[0]!);
    const message = messageOf(body);
    if (status === 503 || status === 502 || status === 504)
      throw new EtcdUnreachable(message ?? `HTTP ${status}`);
    if (message !== null) throw new EtcdError(message);
    const content = (body.result ?? body) as JsonObject;
    const wallMs = Date.parse(date);
    if (status === 200 && typeof content.header === 'object' && wallMs > 0) return { body: content, wallMs };
    const hint = status === 400 && !this.#isTls ? '; for TLS, write etcds://' : '';
    throw new InputError(
      `what answers at ${hostText(host)} is not etcd 3.4 or newer (HTTP ${status} for ${path})${hint}`,
    );
  }

  #exchange(host: EngineHost, path: string, question: JsonObject, token: string) {
    const timeoutMs = Math.ceil(this.#timeoutMs / this.#address.hosts.length);
    const request = this.#request(host, path, token);
    const timer = setTimeout(() => request.destroy(new Error(`no answer for ${timeoutMs} ms`)), timeoutMs);
    return new Promise<{ status: number; date: string; text: string }>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) =>
        reject(new EtcdUnreachable(error.code ?? error.message));
      request.on('error', failed).on('close', () => failed(new Error('the connection was closed')));
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('error', failed);
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode!, date: response.headers.date ?? '', text }),
        );
      });
      request.end(JSON.stringify(question));
    }).finally(() => clearTimeout(timer));
  }

  #request(
    { name, port }: EngineHost,
    path: string,
    token: string,
    signal?: AbortSignal,
  ): http.ClientRequest {
    return (this.#isTls ? https : http).request({
      ...{ host: name, port, path, method: 'POST', agent: this.#agent, signal },
      headers: {
        'content-type': 'application/json',
        'grpc-metadata-hasleader': 'true', // a host without a leader ends its streams
        ...(token === '' ? {} : { authorization: token }),
      },
    });
  }

  /** Returns '' if no token is needed. */
  #tokenNow(): Promise<string> {
    if (this.#address.user === null) return Promise.resolve('');
    this.#token ??= this.#authenticated().catch((error) => {
      this.#token = null;
      throw this.#toUserError(error);
    });
    return this.#token;
  }

  async #authenticated(): Promise<string> {
    const { user: name, password } = this.#address;
    try {
      const { body } = await this.#askAnyHost('/v3/auth/authenticate', { name, password }, '');
      return String(body.token);
    } catch (error) {
      if (error instanceof EtcdError && error.message.includes('authentication is not enabled')) return '';
      throw error;
    }
  }

  #toUserError(error: unknown): unknown {
    const { user } = this.#address;
    if (error instanceof EtcdUnreachable)
      return unavailable(`etcd cannot be reached at ${this.hosts}: ${error.message}`);
    if (!(error instanceof EtcdError)) return error;
    const { message } = error;
    if (message.includes('invalid user ID or password'))
      return new InputError(`etcd at ${this.hosts} refuses user '${user}' with this password`);
    if (message.includes('user name is empty'))
      return new InputError(`etcd at ${this.hosts} wants a user: write etcd://user:password@host`);
    if (message.includes('permission denied'))
      return new InputError(
        `etcd at ${this.hosts} does not let user '${user}' read and write keys under baton/: etcdctl role grant-permission ROLE --prefix=true readwrite baton/`,
      );
    if (message.includes('space exceeded'))
      return unavailable(`etcd at ${this.hosts} is full and takes no writes: see etcdctl alarm list`);
    return unavailable(`etcd at ${this.hosts} says: ${message}`);
  }
}

const isTokenRefused = (error: unknown): boolean =>
  error instanceof EtcdError && /invalid auth token|auth store is old|user name is empty/.test(error.message);

/** Returns {} for text that is not a JSON object. */
function jsonOf(text: string): JsonObject {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Returns the message of an error, however versions and streams wrap it; null if there is none. */
function messageOf({ code, message, error }: JsonObject): string | null {
  const inner = typeof error === 'object' && error !== null ? (error as JsonObject).message : error;
  const text = typeof message === 'string' && typeof code === 'number' ? message : inner;
  return typeof text === 'string' ? text.replace(/^etcdserver: /, '') : null;
}
