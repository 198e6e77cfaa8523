// The measure view in a real browser.
import { expect, test } from 'vitest';
import { describeLab, expectAccessible, opened, openedAt, sharedLink } from './lab-page.ts';

describeLab('the measure view', () => {
  test('algorithms are chosen, measured and compared with the bounds of their papers', async () => {
    const page = await opened('#run/raymond?n=7&at=3');
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.getByText('Every bound holds').waitFor();
    expect(await page.locator('.figure svg.chart').count()).toBe(2);
    await page.locator('.figure').first().getByText('exactly 2(n-1)').waitFor();
    const row = page.getByRole('row', { name: /Ricart–Agrawala heavy load/ });
    expect(await row.innerText()).toMatch(/128.*254.*exactly as predicted/s);
    await page.getByLabel('Lamport').check();
    await page.getByRole('row', { name: /Lamport heavy load/ }).waitFor();
    await page.getByLabel('Processes, up to').selectOption('16');
    await page.getByText('Every bound holds').waitFor();
    const link = await sharedLink(page);
    const elsewhere = await openedAt(link);
    await elsewhere.getByText('Every bound holds').waitFor();
    expect(await elsewhere.locator('.table').innerText()).toBe(await page.locator('.table').innerText());
    await page.getByText('Election', { exact: true }).click();
    await page.getByRole('row', { name: /Chang–Roberts ids descending/ }).waitFor();
    await page.context().close();
    await elsewhere.context().close();
  });

  test('on a narrow screen every checkbox stands beside its label, and no title is cut off', async () => {
    const page = await opened('#run/raymond?view=measure&measure=raymond,lamport:16:5', {
      viewport: { width: 390, height: 860 },
    });
    await page.getByText('Every bound holds').waitFor();
    const parts = "[...document.querySelectorAll('.choices li')].map((one) => one.getClientRects().length)";
    expect(new Set(await page.evaluate<number[]>(parts))).toEqual(new Set([1]));
    const overhang = `[...document.querySelectorAll('.figure .head')].map(
      (one) => one.getBoundingClientRect().right - one.ownerSVGElement.getBoundingClientRect().right)`;
    for (const pixels of await page.evaluate<number[]>(overhang)) expect(pixels).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  test.each([
    [390, 'light'],
    [1024, 'dark'],
    [1600, 'light'],
  ] as const)(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, theme) => {
      const page = await opened('#run/raymond?view=measure&measure=raymond,lamport:16:5', {
        viewport: { width, height: 860 },
        colorScheme: theme,
      });
      await page.getByText('Every bound holds').waitFor();
      await expectAccessible(page);
      await page.context().close();
    },
  );
});
