// The simulator in a real browser gives the traces it gives here, byte for byte.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { type Scenario, simulate } from '../src/sim/index.ts';

const chromium = process.env.BATON_CHROMIUM;
const scenario: Scenario = { n: 7, entries: 3, latency: 'exponential:30', seed: 2026 };
const shared: Scenario = { entries: 3, latency: 'exponential:30', seed: 2026 };

const page = `<!doctype html><meta charset="utf-8"><pre id="out"></pre><script type="module">
  import { algorithms, sharedAlgorithms } from '/algorithms/index.js';
  import { simulate } from '/sim/index.js';
  const lines = [];
  for (const algorithm of algorithms) simulate(algorithm, ${JSON.stringify(scenario)}, { trace: (line) => lines.push(line) });
  for (const algorithm of sharedAlgorithms) simulate(algorithm, ${JSON.stringify(shared)}, { trace: (line) => lines.push(line) });
  const bytes = new TextEncoder().encode(lines.join('\\n'));
  const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))];
  document.querySelector('#out').textContent = 'sha256:' + hash.map((b) => b.toString(16).padStart(2, '0')).join('');
</script>`;

let server: Server;
let profile: string;

beforeAll(async () => {
  profile = mkdtempSync(join(tmpdir(), 'baton-chromium-'));
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    if (path === '/') response.setHeader('content-type', 'text/html').end(page);
    else if (/^[\w/-]+\.js$/.test(path)) {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join('dist', path)));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  rmSync(profile, { recursive: true, force: true });
});

test('Chromium and Node write the same traces', async ({ skip }) => {
  if (!chromium) skip('no chromium on this machine: npm test as root installs it');
  const lines: string[] = [];
  const trace = (line: string) => lines.push(line);
  for (const algorithm of algorithms) simulate(algorithm, scenario, { trace });
  for (const algorithm of sharedAlgorithms) simulate(algorithm, shared, { trace });
  const here = createHash('sha256').update(lines.join('\n')).digest('hex');
  const { port } = server.address() as AddressInfo;
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-sync',
  ];
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    `--user-data-dir=${profile}`,
  ];
  const dump = ['--dump-dom', '--virtual-time-budget=10000', `http://127.0.0.1:${port}/`];
  const { stdout } = await promisify(execFile)(chromium!, [...flags, ...quiet, ...dump]);
  expect(stdout).toContain(`sha256:${here}`);
});
