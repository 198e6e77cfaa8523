// The live view in a real browser.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join as joinGroup } from '../../src/cluster/index.ts';
import { type ContextOptions, describeInBrowsers } from '../browsers.ts';
import { consoleErrors, expectAccessible, openedAt } from './lab-page.ts';
import { groupsIn, type LabProcess, startLabProcess, until } from './lab-process.ts';

let lab: LabProcess;

async function opened(url: string, options: ContextOptions = {}): Promise<Page> {
  const page = await openedAt(url, options);
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  return page;
}

const processesIn = (page: Page, state: string) => page.locator(`.seats .process.${state}`);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Clicks a button of the current holder, which changes quickly. */
async function pressForHolder(page: Page, action: 'Kill' | 'Stop'): Promise<void> {
  await until(() =>
    page.evaluate<boolean>(`{
    const button = document.querySelector('.seats .alive.inside [aria-label^=${action}]');
    button?.click();
    button !== null;
  }`),
  );
}

describeInBrowsers('the live view', { firefoxFrom: 'full' }, () => {
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
    process.env.BATON_DIR = groupsIn(directory);
    lab = await startLabProcess(directory);
    consoleErrors.length = 0;
  });

  afterAll(() => {
    lab.server.kill();
    delete process.env.BATON_DIR;
    rmSync(directory, { recursive: true, force: true });
  });

  test('an election: its messages are drawn, and the leader is killed and replaced', async () => {
    const page = await opened(lab.address.href);
    await page.getByLabel('Elected by').selectOption('franklin');
    await button(page, 'Start an election').click();
    await until(async () => (await processesIn(page, 'alive').count()) === 5);
    const legend = page.locator('.strip .legend');
    while ((await page.locator('.takeover').innerText()) === '–') {
      await pressForHolder(page, 'Kill');
      await page.waitForTimeout(700);
      if ((await processesIn(page, 'dead').count()) > 2) await button(page, 'Add one').click();
    }
    expect(await page.locator('.said').innerText()).toMatch(
      /^p\d was killed while it led; \d+ ms later p\d led, elected by franklin\.$/,
    );
    const kinds = new Set<string>(); // the legend has those of the latest messages only
    await until(async () => {
      for (const kind of (await legend.innerText()).split(/\s+/)) kinds.add(kind);
      return ['stand', 'round', 'candidate', 'leader'].every((kind) => kinds.has(kind)); // the last two are franklin's
    });
    await expectAccessible(page);
    await button(page, 'End').click();
    await button(page, 'Start an election').waitFor();
    await page.context().close();
  });

  test('shows the groups of this machine', async () => {
    const page = await opened(lab.address.href);
    expect(page.url()).not.toContain('token');
    await page.getByText('Nobody is in a group just now').waitFor();
    await using group = await joinGroup('orders');
    await using _ = await group.lock('stock');
    const panel = page.getByRole('complementary', { name: 'Groups on this machine' });
    await panel.getByText(/holds it/).waitFor();
    expect(await panel.innerText()).toMatch(/orders view \d+[\s\S]*lock stock[\s\S]*by li-hudak/);
    await page.reload(); // the tab keeps its token
    await button(page, 'Live').click();
    await panel.getByText(/holds it/).waitFor();
    await page.context().close();
  });

  test('the demonstration: the holder is killed and replaced, a process is stopped and continued, one is added, all end', async () => {
    const page = await opened(lab.address.href);
    await button(page, 'Start the demonstration').click();
    await until(async () => (await processesIn(page, 'alive').count()) === 5);
    await until(async () => (await page.locator('.strip .legend li').count()) >= 2);
    const hidden =
      "{ const box = document.querySelector('.scroller'); box.scrollHeight - box.clientHeight; }";
    expect(await page.evaluate(hidden), 'the diagram shows every lane').toBe(0);

    const takeover = page.locator('.takeover');
    while ((await takeover.innerText()) === '–') {
      await pressForHolder(page, 'Kill');
      await page.waitForTimeout(700);
      if ((await processesIn(page, 'dead').count()) > 2) await button(page, 'Add one').click();
    }
    expect(await page.locator('.said').innerText()).toMatch(
      /^p\d was killed while it held the lock; \d+ ms later p\d had it\.$/,
    );
    await processesIn(page, 'inside').first().waitFor();
    while ((await processesIn(page, 'dead').count()) > 0) {
      await button(page, 'Add one').click();
      await page.waitForTimeout(300);
    }

    await pressForHolder(page, 'Stop');
    await page.getByText('stopped, out').waitFor(); // when its lease has expired
    await processesIn(page, 'inside').first().waitFor();
    await button(page, /^Continue p/).click();
    await until(async () => (await processesIn(page, 'stopped').count()) === 0);
    await button(page, 'Add one').click();
    await until(async () => (await page.locator('.seats .process').count()) === 6);

    await button(page, 'Hold still').click();
    const events = () => page.locator('.strip canvas').getAttribute('aria-label');
    const still = await events();
    await page.waitForTimeout(400);
    expect(await events()).toBe(still);
    await button(page, 'Go on').click();
    await page.getByText('Step by step').click();
    await until(async () => (await events()) !== still);
    expect(await events()).toMatch(/^\d+ events, one lane for each of 6 processes$/);

    await button(page, 'End').click();
    await button(page, 'Start the demonstration').waitFor();
    await page.context().close();
  });

  test('no horizontal scrolling and no serious accessibility violation', async () => {
    const page = await opened(lab.address.href, { reducedMotion: 'reduce' });
    await button(page, 'Start the demonstration').click();
    await until(async () => (await processesIn(page, 'alive').count()) === 5);
    for (const [width, colorScheme] of [
      [390, 'light'],
      [1024, 'dark'],
      [1600, 'light'],
    ] as const) {
      const viewport = { width, height: 860 };
      const other = await opened(lab.address.href, { viewport, colorScheme, reducedMotion: 'reduce' });
      await until(async () => (await processesIn(other, 'alive').count()) === 5);
      await expectAccessible(other);
      await other.context().close();
    }
    await button(page, 'End').click();
    await button(page, 'Start the demonstration').waitFor();
    await page.context().close();
  });

  test('without the token, or on a static site, a notice explains what to do', async () => {
    const page = await opened(lab.address.origin);
    await page.getByText('Open the whole address that').waitFor();
    await page.context().close();
    const site = await staticSite();
    const elsewhere = await opened(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await elsewhere.getByText('npx baton lab').waitFor();
    await elsewhere.context().close();
    site.close();
  });

  test('a notice says that the lab has ended', async () => {
    expect(consoleErrors).toEqual([]);
    const page = await opened(lab.address.href);
    await button(page, 'Start the demonstration').waitFor();
    lab.server.kill();
    await page.getByText('The lab has ended').waitFor();
    await page.context().close();
  });
});

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves packages/batonjs-lab/dist/page like any web server. */
async function staticSite(): Promise<Server> {
  const site = createServer((request, response) => {
    const file = request.url === '/' ? '/index.html' : request.url!;
    response.setHeader('content-type', types[extname(file)]!);
    response.end(readFileSync(`packages/batonjs-lab/dist/page${file}`));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return site;
}
