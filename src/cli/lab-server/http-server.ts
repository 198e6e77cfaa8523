import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';
import { InputError } from '../../core/assert.ts';
import { laboratoryFile } from '../laboratory-files.ts';
import type { LiveApi } from './live-api.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Content security policy: no external resources, no embedding. Images may be created in the page. */
const policy = (scripts: string): string =>
  `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const headers = {
  'content-security-policy': policy("'self'"),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** Workers that run the user's algorithms may load scripts from blobs; the page may not. */
const headersOf = (name: string): Readonly<Record<string, string>> =>
  /^assets\/(check|measure|run|sandbox)\.worker-/.test(name)
    ? { ...headers, 'content-security-policy': policy("'self' blob:") }
    : headers;

/** Serves the page on the loopback address. Port 0 is any free port. */
export async function serveLab(port: number, live: LiveApi): Promise<Server> {
  const folder = laboratoryFile('page/');
  if (!existsSync(`${folder}index.html`))
    throw new InputError('the lab has not been built: run npm run build');
  const server = createServer((request, response) => {
    const path = request.url!.replace(/[?#].*/s, '');
    if (path.startsWith('/live/') && isOwn(request.headers.host)) {
      live.handle(request, path, response);
      return;
    }
    const name = path === '/' ? 'index.html' : path.slice(1);
    const isFile = /^(assets\/)?[\w.-]+$/.test(name) && !name.includes('..') && extname(name) in types;
    const isAsked = request.method === 'GET' || request.method === 'HEAD';
    if (!isOwn(request.headers.host) || !isAsked || !isFile || !existsSync(folder + name)) {
      response.writeHead(isAsked ? 404 : 405, headers).end();
      return;
    }
    const body = name === 'index.html' ? page(folder + name) : readFileSync(folder + name);
    response.writeHead(200, {
      ...headersOf(name),
      'content-type': types[extname(name)]!,
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    refuse(error as NodeJS.ErrnoException, port);
  }
  return server;
}

/** Marks the page as served by `baton lab`, so that it shows live processes. */
const page = (file: string): Buffer =>
  Buffer.from(readFileSync(file, 'utf8').replace('<div id="lab"', '$& data-live'));

/** Whether the host is loopback. Prevents DNS rebinding by other pages. */
const isOwn = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

function refuse(error: NodeJS.ErrnoException, port: number): never {
  if (error.code === 'EADDRINUSE')
    throw new InputError(
      `port ${port} is taken: choose another with --port, or --port 0 for any that is free`,
    );
  throw new InputError(`port ${port} cannot be used: ${error.message}`);
}
