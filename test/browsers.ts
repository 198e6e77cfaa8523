// Runs tests in real browsers. One driver serves all of them, so a test has one text.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, firefox, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';

export type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;
export type BrowserName = 'Chromium' | 'Firefox';

export let browserName: BrowserName; // of the current describe block
let browsers: Map<string, Browser>; // by their preferences
let downloads: string; // a folder

const commands: Readonly<Record<BrowserName, string | undefined>> = {
  Chromium: process.env.BATON_CHROMIUM,
  Firefox: process.env.BATON_FIREFOX,
};

export interface BrowserTestOptions {
  /** The first tier that runs the tests in Firefox, too. Most find the same mistakes in both browsers, so `verify` is enough for them. */
  readonly firefoxFrom: 'quick' | 'full' | 'verify';
}

/** Describes tests once for each browser, with the browser's name at the end of the block's name. */
export function describeInBrowsers(
  name: string,
  { firefoxFrom }: BrowserTestOptions,
  tests: () => void,
): void {
  for (const each of ['Chromium', 'Firefox'] as const) {
    const why = whySkipped(each, firefoxFrom);
    describe.skipIf(why !== null)(`${name}, in ${each}${why === null ? '' : ` (${why})`}`, () => {
      beforeAll(() => {
        browserName = each;
        browsers = new Map();
        downloads = mkdtempSync(join(tmpdir(), 'baton-downloads-'));
      });
      afterAll(async () => {
        await Promise.all([...browsers.values()].map((browser) => browser.close()));
        rmSync(downloads, { recursive: true, force: true });
      });
      tests();
    });
  }
}

function whySkipped(name: BrowserName, firefoxFrom: BrowserTestOptions['firefoxFrom']): string | null {
  if (!commands[name]) return `no ${name} on this machine: npm test as root installs it`;
  const tier = process.env.BATON_TIER; // tests that are named run in both
  if (name === 'Chromium' || firefoxFrom === 'quick' || (tier !== 'quick' && tier !== 'full')) return null;
  if (firefoxFrom === 'verify') return 'verify tier: npm run verify';
  return tier === 'quick' ? 'full tier: CI=true npm test' : null;
}

/** Opens a fresh profile in the current browser. */
export async function newContext(options: ContextOptions = {}): Promise<BrowserContext> {
  const preferences = browserName === 'Firefox' ? mediaPreferences(options) : {};
  const key = JSON.stringify(preferences);
  const browser = browsers.get(key) ?? (await launch(preferences));
  browsers.set(key, browser);
  return browser.newContext(options);
}

type Preferences = Readonly<Record<string, number>>;

/** The driver cannot emulate media features in Firefox, so a Firefox with these preferences is started. */
const mediaPreferences = ({ colorScheme, reducedMotion }: ContextOptions): Preferences => ({
  'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
  'ui.prefersReducedMotion': reducedMotion === 'reduce' ? 1 : 0,
});

async function launch(firefoxUserPrefs: Preferences): Promise<Browser> {
  const executablePath = execFileSync('which', [commands[browserName]!], { encoding: 'utf8' }).trim();
  const options = { executablePath, downloadsPath: downloads };
  return browserName === 'Chromium'
    ? chromium.launch({ ...options, args: ['--no-sandbox', '--disable-gpu'] })
    : firefox.launch({ ...options, firefoxUserPrefs, channel: 'moz-firefox' }); // speaks WebDriver BiDi
}

/** Returns the file that an action downloads. */
export async function downloaded(page: Page, action: () => Promise<void>): Promise<Buffer> {
  if (browserName === 'Chromium') {
    const [download] = await Promise.all([page.waitForEvent('download'), action()]);
    return readFileSync((await download.path())!);
  }
  // Firefox gives a download no id, so the driver does not report it. The file is complete when it has stopped growing.
  const before = new Set(readdirSync(downloads));
  await action();
  let body = Buffer.alloc(0);
  const isComplete = () => {
    const last = body;
    const [name, ...parts] = readdirSync(downloads).filter((one) => !before.has(one));
    body = name !== undefined && parts.length === 0 ? readFileSync(join(downloads, name)) : Buffer.alloc(0);
    return body.length > 0 && body.equals(last);
  };
  await expect.poll(isComplete).toBe(true);
  return body;
}

/** Returns the text that the page copied, by pasting it. This needs no permission. */
export async function clipboardText(page: Page): Promise<string> {
  const other = await page.context().newPage();
  await other.setContent('<textarea></textarea>');
  await other.locator('textarea').focus();
  await other.keyboard.press('Control+V');
  const text = await other.locator('textarea').inputValue();
  await other.close();
  return text;
}
