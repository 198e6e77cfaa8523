// The simulator and the checker give the same bytes in a real browser as in Node.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { Check, randomWalk, type Space } from '../src/check/index.ts';
import { mutants, sharedMutants } from '../src/mutants/index.ts';
import { type Scenario, simulate } from '../src/sim/index.ts';
import { describeInBrowsers, newContext } from './browsers.ts';

const scenario: Scenario = { n: 7, entries: 3, latency: 'exponential:30', seed: 2026 };
const shared: Scenario = { entries: 3, latency: 'exponential:30', seed: 2026 };

const simulating = `<!doctype html><meta charset="utf-8"><pre id="out"></pre><script type="module">
  import { algorithms, sharedAlgorithms } from '/algorithms.js';
  import { simulate } from '/sim.js';
  const lines = [];
  for (const algorithm of algorithms) simulate(algorithm, ${JSON.stringify(scenario)}, { trace: (line) => lines.push(line) });
  for (const algorithm of sharedAlgorithms) simulate(algorithm, ${JSON.stringify(shared)}, { trace: (line) => lines.push(line) });
  const bytes = new TextEncoder().encode(lines.join('\\n'));
  const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))];
  document.querySelector('#out').textContent = 'sha256:' + hash.map((b) => b.toString(16).padStart(2, '0')).join('');
</script>`;

const spaces: Record<string, Space> = {
  'ricart-agrawala': { n: 3 },
  'ricart-agrawala-no-tie-break': { n: 3 },
  franklin: { ids: [2, 3, 1, 4] },
  bakery: { n: 2, entries: 2 },
  'dekker-looks-first': { entries: 2 },
};
const slice = 500; // worlds
const random = { runs: 20, together: true };

/** Searches in slices and reports its progress. Between slices it could receive an order to stop. */
const worker = `
  import { algorithms, sharedAlgorithms } from '/algorithms.js';
  import { Check, randomWalk } from '/check.js';
  import { mutants, sharedMutants } from '/mutants.js';
  const all = [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants];
  for (const [name, space] of Object.entries(${JSON.stringify(spaces)})) {
    const algorithm = all.find((one) => one.name === name);
    const search = new Check(algorithm, space);
    while (search.advance(${slice})) {
      postMessage({ progress: search.states });
      await new Promise((resolve) => setTimeout(resolve));
    }
    postMessage({ reports: [search.report(), randomWalk(algorithm, space, ${JSON.stringify(random)})] });
  }
  postMessage({ isOver: true });
`;

const checking = `<!doctype html><meta charset="utf-8"><pre id="out"></pre><script type="module">
  const told = [];
  const show = (text) => { document.querySelector('#out').textContent = text; };
  const worker = new Worker('/worker.js', { type: 'module' });
  worker.onerror = ({ message }) => show('the worker failed: ' + message);
  worker.onmessage = ({ data }) => (data.isOver ? show(JSON.stringify(told)) : told.push(data));
</script>`;

const documents: Record<string, { readonly type: string; readonly body: string }> = {
  '/simulating': { type: 'text/html', body: simulating },
  '/checking': { type: 'text/html', body: checking },
  '/worker.js': { type: 'text/javascript', body: worker },
};

let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    const own = documents[path];
    if (own) response.setHeader('content-type', own.type).end(own.body);
    else if (/^[\w/-]+\.js$/.test(path)) {
      response
        .setHeader('content-type', 'text/javascript')
        .end(readFileSync(join('packages/batonjs-lab/dist/browser', path)));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
});

/** Opens a page and returns its result. */
async function resultOf(path: string): Promise<string | null> {
  const { port } = server.address() as AddressInfo;
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}${path}`);
  const result = await page.locator('#out:not(:empty)').textContent({ timeout: 100_000 });
  await context.close();
  return result;
}

describeInBrowsers('the simulator and the checker', { firefoxFrom: 'full' }, () => {
  test('write the same traces as in Node', async () => {
    const lines: string[] = [];
    const trace = (line: string) => lines.push(line);
    for (const algorithm of algorithms) simulate(algorithm, scenario, { trace });
    for (const algorithm of sharedAlgorithms) simulate(algorithm, shared, { trace });
    const here = createHash('sha256').update(lines.join('\n')).digest('hex');
    expect(await resultOf('/simulating')).toBe(`sha256:${here}`);
  });

  test('give the same reports in a worker as in Node, in as many slices', async () => {
    const all = [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants];
    const here: object[] = [];
    for (const [name, space] of Object.entries(spaces)) {
      const algorithm = all.find((one) => one.name === name)!;
      const search = new Check(algorithm, space);
      while (search.advance(slice)) here.push({ progress: search.states });
      here.push({ reports: [search.report(), randomWalk(algorithm, space, random)] });
    }
    expect(here.length).toBeGreaterThan(2 * Object.keys(spaces).length);
    expect(await resultOf('/checking')).toBe(JSON.stringify(here));
  });
});
