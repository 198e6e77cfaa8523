// The web server of `baton lab`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';

const command = (...args: string[]) => ['packages/batonjs/dist/cli.cjs', 'lab', ...args];
let server: ReturnType<typeof spawn>;
let address: URL;

beforeAll(async () => {
  server = spawn(process.execPath, command('--port', '0'), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout!, 'data');
  address = new URL(/http:\S+/.exec(`${line}`)![0]);
});

afterAll(() => server.kill());

/** Requests a path exactly as given and returns the response. */
async function raw(path: string, host = address.host, method = 'GET'): Promise<string> {
  const socket = connect(Number(address.port), '127.0.0.1');
  socket.end(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  return text(socket);
}

test('listens on loopback, and serves the page with its files', async () => {
  expect(address.hostname).toBe('127.0.0.1');
  const page = await fetch(address);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const script = /src="\.\/([^"]+\.js)"/.exec(await page.text())![1]!;
  const loaded = await fetch(new URL(script, address));
  expect(loaded.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect((await loaded.text()).length).toBeGreaterThan(10_000);
});

test('serves nothing else', async () => {
  for (const path of [
    '/../cli/main.js',
    '/assets/../../cli/main.js',
    '/%2e%2e/cli/main.js',
    '/assets',
    '/nothing.js',
    '//etc/passwd',
    '/index.html/',
  ])
    expect(await raw(path), path).toMatch(/^HTTP\/1.1 40/);
  expect(await raw('/', 'elsewhere.example')).toMatch(/^HTTP\/1.1 404/);
  expect(await raw('/', address.host, 'POST')).toMatch(/^HTTP\/1.1 405/);
  expect(await raw('/', address.host, 'HEAD')).toMatch(/^HTTP\/1.1 200[\s\S]*\r\n\r\n$/);
});

test('reports a port that is taken or invalid in a sentence', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, command(...args), { encoding: 'utf8' });
  expect(run('--port', address.port)).toMatchObject({
    status: 2,
    stderr: `baton: port ${address.port} is taken: choose another with --port, or --port 0 for any that is free\n`,
  });
  expect(run('--port', 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("'x' is not a port"),
  });
});

test('ends on SIGINT', async () => {
  const other = spawn(process.execPath, command('--port', '0'), { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout!, 'data');
  other.kill('SIGINT');
  expect((await once(other, 'exit'))[0]).toBe(0);
});
