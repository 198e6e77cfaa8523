// The API of the page for real processes: events of groups, and actions on the demonstration. Requests need the printed token and must come
// from the page itself.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { demoActions } from '../../live/index.ts';
import { DemoController } from './demo-controller.ts';
import { GroupPoller } from './group-poller.ts';

export class LiveApi {
  readonly token = randomBytes(18).toString('base64url');
  readonly #headers: Readonly<Record<string, string>>;
  readonly #watchers = new Set<ServerResponse>();
  readonly #groups = new GroupPoller((now) => this.#push('groups', now));
  readonly #demo = new DemoController((now) => this.#push('demo', now));

  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  async handle(request: IncomingMessage, path: string, response: ServerResponse): Promise<void> {
    const answer = (status: number, sentence = '') =>
      response.writeHead(status, { ...this.#headers, 'content-type': 'text/plain' }).end(sentence);
    if (isForeign(request)) return void answer(403, 'this is for the page of the lab itself');
    if (!this.#isAllowed(request.headers.authorization))
      return void answer(401, 'this needs the token that baton lab has printed');
    if (path === '/live/events' && request.method === 'GET') return this.#stream(response);
    const action = demoActions.find((name) => path === `/live/demo/${name}`);
    if (action === undefined) return void answer(404);
    if (request.method !== 'POST') return void answer(405);
    const { searchParams } = new URL(request.url!, 'http://lab');
    const process = Number(searchParams.get('process') ?? Number.NaN);
    const reason = await this.#demo.act(action, process, searchParams.get('algorithm'));
    answer(reason === null ? 204 : 409, reason ?? '');
  }

  close(): Promise<void> {
    this.#groups.watch(false);
    return this.#demo.end();
  }

  #isAllowed(given = ''): boolean {
    const hash = (text: string) => createHash('sha256').update(text).digest();
    return timingSafeEqual(hash(given), hash(`Bearer ${this.token}`));
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, {
      ...this.#headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    response.write(eventText('demo', this.#demo.now));
    this.#watchers.add(response);
    this.#groups.watch(true);
    response.once('close', () => {
      this.#watchers.delete(response);
      if (this.#watchers.size === 0) this.#groups.watch(false);
    });
  }

  #push(event: string, data: object): void {
    const text = eventText(event, data);
    for (const watcher of this.#watchers) watcher.write(text);
  }
}

const eventText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Whether a request comes from another page. Browsers that do not report this would not send the token either. */
const isForeign = ({ headers }: IncomingMessage): boolean =>
  (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) ||
  !['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined);
