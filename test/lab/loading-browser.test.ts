// The first load of the lab in a real browser. The quick tier, too, runs these tests in each browser.
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserName } from '../browsers.ts';
import { describeLab, opened } from './lab-page.ts';

const position = (page: Page) => page.locator('.scrub').inputValue().then(Number);

function loadingTests(): void {
  test('the lab plays a run within a second after loading', async () => {
    const times: number[] = [];
    while (times.length < 5 && !times.some((ms) => ms < 1000)) {
      const page = await opened(); // again if the machine was busy
      await expect.poll(() => position(page)).toBeGreaterThan(2);
      times.push(await page.evaluate("performance.getEntriesByName('first-picture')[0].startTime"));
      expect(await page.locator('.picker').innerText()).toContain('Raymond');
      expect(page.workers().map((worker) => worker.url())).toEqual([expect.stringContaining('/run.worker-')]);
      await page.context().close();
    }
    const best = Math.min(...times);
    console.log(`first picture after ${Math.round(best)} ms in ${browserName}`);
    expect(best).toBeLessThan(1000);
  });

  test('the first load is small', async () => {
    const page = await opened();
    const loaded = new Set<string>(); // fetched again below: a browser does not keep all bodies
    page.on('response', (response) => loaded.add(response.url()));
    await page.reload();
    await expect.poll(() => position(page)).toBeGreaterThan(2);
    const bodies = [...loaded].map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer()));
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    const size = sizes.reduce((a, b) => a + b, 0);
    console.log(`first load ${Math.round(size / 1000)} kB compressed`);
    expect(size).toBeGreaterThan(10_000);
    expect(size).toBeLessThan(300_000);
    await page.context().close();
  });
}

describeLab('loading', loadingTests, { inEveryTier: true });
