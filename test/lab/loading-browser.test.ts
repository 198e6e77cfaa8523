// The first picture of the lab in a real browser. The quick tier runs this test in Firefox too.
import { expect, test } from 'vitest';
import { browserName } from '../browsers.ts';
import { describeLab, opened } from './lab-page.ts';

function tests(): void {
  test('the lab plays a run; in Chromium within a second after loading', async () => {
    const limit = browserName === 'Chromium' ? 1000 : Infinity; // in Firefox a busy machine delays it too often
    const times: number[] = [];
    while (times.length < 12 && !times.some((ms) => ms < limit)) {
      const page = await opened(); // again if the machine was busy
      await expect.poll(() => page.locator('.scrub').inputValue().then(Number)).toBeGreaterThan(2);
      times.push(await page.evaluate("performance.getEntriesByName('first-picture')[0].startTime"));
      expect(await page.locator('.picker').innerText()).toContain('Raymond');
      expect(page.workers().map((worker) => worker.url())).toEqual([expect.stringContaining('/run.worker-')]);
      await page.context().close();
    }
    const best = Math.min(...times);
    console.log(`first picture after ${Math.round(best)} ms in ${browserName}`);
    expect(best).toBeLessThan(limit);
  });
}

describeLab('loading', { firefoxFrom: 'quick' }, tests);
