// The lab in a real browser, for the tests of its views.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';

const command = process.env.BATON_CHROMIUM;
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

let server: ChildProcess;
let browser: Browser;

export let address: string;
export const complaints: string[] = []; // of the console, and errors nobody caught
export const chapter = command ? describe : describe.skip;

/** For the tests of a file: the server, and the browser. */
export function inChromium(): void {
  beforeAll(async () => {
    if (!command) return;
    server = spawn(process.execPath, ['dist/cli/main.js', 'lab', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(server.stdout!, 'data');
    address = /http:[^\s#]+/.exec(`${line}`)![0];
    const executablePath = execFileSync('which', [command], { encoding: 'utf8' }).trim();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill();
  });
}

/** A page of a fresh profile. */
export async function opened(
  fragment: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()),
  );
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${address}${fragment}`);
  return page;
}

/** Nothing sticks out of the page, and the scan finds nothing serious. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()!.width);
  await page.evaluate(axe);
  const scan =
    "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html + ' ' + any.map(({ message }) => message)).join(' | ')))";
  expect(await page.evaluate(scan)).toEqual([]);
}
