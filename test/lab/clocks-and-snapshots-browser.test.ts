// Clock synchronisation and snapshots in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeLab, enter, expectAccessible, exported, opened } from './lab-page.ts';

const waitForNarration = (page: Page, text: string) => page.locator('.narration').getByText(text).waitFor();
const waitForSnapshot = (page: Page, text: string | RegExp) =>
  page.locator('.snapshot').getByText(text).waitFor();

/** Reads a column of the table of clocks. */
const column = async (page: Page, k: number): Promise<number[]> => {
  const texts = await page.locator(`.clocks tbody td:nth-of-type(${k})`).allInnerTexts();
  return texts.map((text) => (text === '–' ? 0 : Number(text.replace('−', '-'))));
};

/** Returns the current picture of a canvas. */
const pixels = (page: Page, selector: string) =>
  page.evaluate<string>(`document.querySelector('${selector} canvas').toDataURL()`);

const clocks =
  '#run/cristian?n=4&offsets=0,180,-140,90&drifts=0,20000,-18000,12000&drift=20000&slew=500000&rounds=4&think=fixed:150&seed=1';
const snapshot = '#run/raymond+chandy-lamport?n=7&entries=2&seed=3&snapshot=0@30';

describeLab('clocks and snapshots in the lab', { firefoxFrom: 'verify' }, () => {
  test('an algorithm for clocks is chosen, and brings them closer to the reference', async () => {
    const page = await opened('#run/raymond?n=4&at=3');
    await page.getByTitle('Choose an algorithm (/)').click();
    await enter(page.getByPlaceholder(/^Search/), 'clocks cristian');
    await page.locator('.picker').getByText('Cristian').waitFor();
    await page.locator('.clocks tbody tr').nth(3).waitFor();
    await page.keyboard.press(' ');
    await page.keyboard.press('Home');
    const before = await column(page, 3);
    expect(before.map((error) => Math.round(error / 10))).toEqual([0, 18, -14, 9]);
    await page.getByRole('button', { name: 'Next correction' }).click();
    await waitForNarration(page, 'to its clock, give or take');
    await page.keyboard.press('End');
    await waitForNarration(page, 'everything promised held');
    const [errors, bounds] = [await column(page, 3), await column(page, 4)];
    errors.slice(1).forEach((error) => {
      expect(Math.abs(error)).toBeLessThan(25);
    });
    expect(bounds.slice(1).every((bound) => bound > 0 && bound < 25)).toBe(true);
    expect(await page.locator('.counters caption').innerText()).toContain('for 12 synchronisations');
    await page.context().close();
  });

  test('playback moves the clock faces and the chart, also between events', async () => {
    const page = await opened(`${clocks}&at=27`);
    await page.locator('.clock-chart canvas').waitFor();
    const both = async () => [await pixels(page, '.network'), await pixels(page, '.clock-chart')];
    let still = await both();
    const isStill = async () => {
      const before = still;
      still = await both();
      return `${before}` === `${still}`;
    };
    await expect.poll(isStill, { interval: 200 }).toBe(true);
    await page.locator('.speed select').selectOption('0.5');
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForTimeout(600);
    expect(Number((await page.locator('.position').innerText()).split('/')[0])).toBe(27);
    expect(await pixels(page, '.network')).not.toBe(still[0]);
    expect(await pixels(page, '.clock-chart')).not.toBe(still[1]);
    await page.context().close();
  });

  test('a clock that is stepped runs backwards; another number of clocks drops the offsets', async () => {
    const page = await opened(`${clocks}&at=27`);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await enter(field('Slew, ppm'), 'step');
    await expect.poll(() => page.locator('.position').innerText()).toMatch(/^0 /);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'To the end' }).click();
    await waitForNarration(page, 'Violated: no clock runs backwards');
    await enter(field('Processes'), '3');
    await expect.poll(() => page.locator('.clocks tbody tr').count()).toBe(3);
    await enter(field('Offsets, ms'), '1,2');
    await waitForNarration(page, 'offsets needs 3 whole numbers');
    await page.context().close();
  });

  test('each view handles a composition of clocks that it cannot check, measure or edit', async () => {
    const page = await opened('#run/berkeley+bully?n=3&at=3');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('every reading is another state').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByText('Gusella').first().waitFor();
    await page.getByRole('button', { name: 'Measure', exact: true }).click();
    await page.getByText(/Measuring: |runs measured/).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.clocks tbody tr').nth(2).waitFor();
    await page.context().close();
  });

  test('a snapshot is turned on, drawn, described, exported and turned off', async () => {
    const page = await opened('#run/raymond?n=7&entries=2&seed=3&at=30');
    await page.getByLabel('Take a snapshot').check();
    await page.locator('.picker').getByText('Raymond + Chandy–Lamport').waitFor();
    await waitForSnapshot(page, /Nobody has recorded its state yet: p0 will at \d+/);
    await enter(page.getByLabel('Begun by'), '0@30');
    await waitForSnapshot(page, 'p0 will at 30');
    await page.getByRole('button', { name: 'To the end' }).click();
    await waitForSnapshot(page, 'Exactly one token');
    expect(await page.locator('.snapshot').innerText()).toContain('on its way from p2 to p0');
    await page.getByRole('button', { name: 'to the cut' }).click();
    await waitForSnapshot(page, '7 of 7 have recorded');
    await waitForNarration(page, 'records its state');
    await expect.poll(() => page.url()).toMatch(/#run\/raymond\+chandy-lamport\?.*snapshot=0@30/);
    expect(`${await exported(page, 'SVG')}`).toContain('the cut');
    await page.getByLabel('Take a snapshot').uncheck();
    await page.locator('.picker').getByText('Raymond', { exact: true }).waitFor();
    expect(await page.locator('.snapshot').count()).toBe(0);
    await page.context().close();
  });

  test('without order the checker finds an inconsistent cut, and the run shows the message from the future', async () => {
    const page = await opened('#run/token-ring+chandy-lamport?n=3&seed=1&at=0');
    await page.getByLabel('channels keep order').uncheck();
    await page.getByRole('button', { name: 'Let the checker find the failure' }).click();
    await page.getByText('the cut is consistent').first().waitFor();
    await page.getByRole('button', { name: 'Open this run at its last step' }).first().click();
    await waitForSnapshot(page, /Not consistent: token from p\d to p\d comes from the future/);
    await waitForNarration(page, 'Violated: the cut is consistent');
    await page.context().close();
  });

  const widths = [390, 1024, 1600];
  test.each(widths.flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, theme) => {
      for (const fragment of [`${clocks}&at=30`, `${snapshot}&at=50`]) {
        const page = await opened(fragment, {
          viewport: { width, height: 860 },
          colorScheme: theme as 'light' | 'dark',
        });
        await page.locator('.clocks, .snapshot').waitFor();
        await expectAccessible(page);
        await page.context().close();
      }
    },
  );
});
