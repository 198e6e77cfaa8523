// Opens the lab in real browsers, for the tests of its views.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BrowserTestOptions,
  type ContextOptions,
  clipboardText,
  describeInBrowsers,
  downloaded,
  newContext,
} from '../browsers.ts';

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

export let address: string; // of the lab, without its token
export const consoleErrors: string[] = []; // errors and warnings in the console, and uncaught errors

/** Starts the lab and describes its tests in each browser. The last test expects an empty console. */
export function describeLab(name: string, options: BrowserTestOptions, tests: () => void): void {
  const all = () => {
    let server: ChildProcess;
    beforeAll(async () => {
      consoleErrors.length = 0;
      server = spawn(process.execPath, ['packages/batonjs/dist/cli.cjs', 'lab', '--port', '0'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(server.stdout!, 'data');
      address = /http:[^\s#]+/.exec(`${line}`)![0];
    });
    afterAll(() => {
      server.kill();
    });
    tests();
    test('the console shows no errors or warnings', () => {
      expect(consoleErrors).toEqual([]);
    });
  };
  describeInBrowsers(name, options, all);
}

/** Opens the lab at a fragment, in a fresh profile. */
export const opened = (fragment = '', options: ContextOptions = {}): Promise<Page> =>
  openedAt(`${address}${fragment}`, options);

export async function openedAt(url: string, options: ContextOptions = {}): Promise<Page> {
  const context = await newContext({ viewport: { width: 1440, height: 900 }, ...options });
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
  const widths = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]';
  const [content, visible] = await page.evaluate<number[]>(widths); // a scroll bar takes some of the viewport in Firefox
  expect(content).toBe(visible);
  expect(await accessibilityViolations(page)).toEqual([]);
}

/** Types a value over the one in a field, as a user does. In Firefox `fill` appends to a number. */
export async function enter(field: Locator, value: string): Promise<void> {
  await field.press('Control+A');
  await field.pressSequentially(value);
  await field.press('Enter');
}

/** Exports the run in a format and returns the file. */
export async function exported(page: Page, format: string): Promise<Buffer> {
  await page.getByText('Export', { exact: true }).click();
  return downloaded(page, () => page.getByRole('button', { name: new RegExp(`^${format}`) }).click());
}

/** Clicks Share and returns the link that the page copied. */
export async function sharedLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  return clipboardText(page);
}
