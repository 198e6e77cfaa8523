// Opens the lab in a real browser, for the tests of its views.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';

const command = process.env.BATON_CHROMIUM;
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

export let browser: Browser;
export let address: string; // of the lab, without its token
export const consoleErrors: string[] = []; // errors and warnings in the console, and uncaught errors

/** Describes tests that need the browser. Skips them if there is none. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe(name, () => {
    beforeEach(({ skip }) => {
      if (!command) skip('no chromium on this machine: npm test as root installs it');
    });
    tests();
  });
}

/** Starts the browser for the tests of a file, and the lab unless the file starts its own. */
export function inChromium(startOwn?: () => Promise<void>): void {
  let server: ChildProcess | undefined;
  beforeAll(async () => {
    if (!command) return;
    if (startOwn !== undefined) await startOwn();
    else {
      server = spawn(process.execPath, ['dist/cli/main.js', 'lab', '--port', '0'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(server.stdout!, 'data');
      address = /http:[^\s#]+/.exec(`${line}`)![0];
    }
    const executablePath = execFileSync('which', [command], { encoding: 'utf8' }).trim();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill();
  });
}

export type ContextOptions = Parameters<Browser['newContext']>[0];

/** Opens the lab at a fragment, in a fresh profile. */
export const opened = (fragment = '', options: ContextOptions = {}): Promise<Page> =>
  openedAt(`${address}${fragment}`, options);

export async function openedAt(url: string, options: ContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && consoleErrors.push(message.text()),
  );
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  await page.goto(url);
  return page;
}

/** Returns the serious and critical accessibility violations. */
export async function accessibilityViolations(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html + ' ' + any.map(({ message }) => message)).join(' | ')))",
  );
}

/** Expects no horizontal scrolling and no serious accessibility violation. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(page.viewportSize()!.width);
  expect(await accessibilityViolations(page)).toEqual([]);
}

/** Exports the run in a format and returns the file. */
export async function exported(page: Page, format: string): Promise<Buffer> {
  await page.getByText('Export', { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: new RegExp(`^${format}`) }).click(),
  ]);
  return readFileSync((await download.path())!);
}
