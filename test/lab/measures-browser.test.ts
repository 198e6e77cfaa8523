// The measures of a run and the brackets of its delays, in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeLab, expectAccessible, exported, opened } from './lab-page.ts';

const heavy = '#run/ricart-agrawala?n=5&entries=4&latency=fixed:10&hold=fixed:3&think=fixed:0';

const quantity = (page: Page, name: RegExp) => page.locator('.measures').getByRole('button', { name });

/** Opens the rows of a quantity, unless they are. */
async function open(page: Page, name: RegExp): Promise<void> {
  const button = quantity(page, name);
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

const cellsOf = async (page: Page, name: string): Promise<string[]> => {
  const cells = page.locator('.measures tr', { has: page.getByRole('rowheader', { name }) }).locator('td');
  return (await cells.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
};

/** Counts the pixels that are not background in the row of the canvas where brackets are drawn. */
const bracketPixels = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('.scroller canvas');
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const [left, row] = [90, 27.5].map((at) => Math.floor(at * devicePixelRatio));
    const colours = (x, y, width) => {
      const { data } = context.getImageData(x, y, width, 1);
      return Array.from({ length: width }, (_, k) => data.slice(4 * k, 4 * k + 3).join());
    };
    const [background] = colours(2, canvas.height - 2, 1);
    return colours(left, row, canvas.width - left).filter((colour) => colour !== background).length;
  })()`);

describeLab('the measures of a run', { firefoxFrom: 'verify' }, () => {
  test('ricart-agrawala under heavy load: the delay is T', async () => {
    const page = await opened(`${heavy}&at=150`);
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.locator('.measures h2', { hasText: 'of the whole run' }).waitFor();
    expect(await page.locator('.measures h2').innerText()).toContain('T = 10 ticks');
    await open(page, /^Time/);
    expect(await cellsOf(page, 'Synchronisation delay')).toEqual(['10 T', '10 T', '10 T']);
    expect(await cellsOf(page, 'Waiting')).toEqual(['20 2T', '58 5.8T', '72 7.2T']);
    const bounds = await page.locator('.measures .bound.kept').allInnerTexts();
    expect(bounds[0]).toMatch(/must be T = 10.*lecture slides, unit 3/s);
    expect(await page.locator('.measures .broken').count()).toBe(0);
    await open(page, /^Size/);
    expect(await cellsOf(page, 'request: elements')).toEqual(['2', '2', '2']);
    await open(page, /^Load/);
    expect(await cellsOf(page, 'Share of the busiest')).toEqual(['20 %']);
    await quantity(page, /^Load/).click();
    expect(await page.locator('.measures table').count()).toBe(0);
    await page.context().close();
  });

  test('they follow the position', async () => {
    const page = await opened(`${heavy}&at=0`);
    expect(await quantity(page, /^Time/).innerText()).toContain('no entry');
    await page.locator('.scrub').fill('150');
    await page.locator('.measures', { hasText: 'delay = T' }).waitFor();
    expect(await page.locator('.measures h2').innerText()).toContain('so far');
    await page.locator('.scrub').fill('0');
    await page.locator('.measures', { hasText: 'no entry' }).waitFor();
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)(
    'a bracket is drawn for each delay, and exported: %s',
    async (theme) => {
      const page = await opened(`${heavy}&at=152`, { colorScheme: theme });
      await expect.poll(() => bracketPixels(page)).toBeGreaterThan(80);
      expect(`${await exported(page, 'SVG')}`).toMatch(/class='delay'.*>10 = T</);
      await page.context().close();
      const alone = await opened('#run/ricart-agrawala?n=3&entries=1&start=0&latency=fixed:10&at=5');
      await alone.locator('.measures', { hasText: 'so far' }).waitFor();
      expect(await bracketPixels(alone)).toBeLessThan(10); // the line of the present
      await alone.context().close();
    },
  );

  test('shared memory shows only what applies; a changed run is not judged', async () => {
    const page = await opened('#run/bakery?n=3&at=59');
    await page.locator('.measures', { hasText: 'Accesses' }).waitFor();
    expect(await page.locator('.quantities button').count()).toBe(2);
    await page.context().close();
    const changed = await opened(`${heavy}&hand=30:delay:20:5&at=150`);
    await open(changed, /^Time/);
    await changed.getByText('not judged: the run was changed by hand').waitFor();
    expect(await changed.locator('.measures h2').innerText()).not.toContain('T =');
    await changed.context().close();
  });

  test.each([390, 1024, 1600])(
    'with rows open, the page is accessible and does not scroll sideways: %i wide',
    async (width) => {
      const page = await opened(`${heavy}&at=150`, { viewport: { width, height: 860 } });
      for (const name of [/^Messages/, /^Time/, /^Size/, /^Load/]) await open(page, name);
      await open(page, /^Time/);
      await expectAccessible(page);
      await page.context().close();
    },
  );
});
