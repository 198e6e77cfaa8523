// Every view with every kind of algorithm in a real browser. The last test of the suite expects an empty console.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleErrors, describeLab, opened } from './lab-page.ts';

const views = ['Check', 'Measure', 'Live', 'Edit', 'Run'];

/** Opens the lab. A failed request counts as an error in the console, as a violation of the content policy does. */
async function watched(fragment: string): Promise<Page> {
  const page = await opened(fragment);
  page.on('requestfailed', (request) => consoleErrors.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) consoleErrors.push(`${response.status()}: ${response.url()}`);
  });
  await page.locator('.transport').waitFor();
  return page;
}

async function openEveryView(page: Page): Promise<void> {
  const header = page.getByRole('navigation', { name: 'Views' });
  for (const view of views) {
    await header.getByRole('button', { name: view, exact: true }).click();
    await page.locator(`.app[data-view="${view.toLowerCase()}"] main`).waitFor();
    await page.waitForTimeout(300); // for what a view starts when it opens
    if (view === 'Edit') await page.getByText('None: it keeps to the contract').waitFor();
    if (view === 'Check') await page.keyboard.press('Control+Enter');
  }
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.locator('.narration').waitFor();
}

describeLab('every view', { firefoxFrom: 'full' }, () => {
  test.each([
    'raymond',
    'bakery',
    'ntp',
    'token-ring+bully',
    'lamport+chandy-lamport',
    'ricart-agrawala-no-tie-break',
  ])('opens with %s', async (name) => {
    const page = await watched(`#run/${name}`);
    await openEveryView(page);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });

  test('opens with an algorithm from the editor', async () => {
    const page = await watched('#run/raymond');
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Start from').selectOption('mutex');
    await page.locator('.cm-content').getByText('A lock of your own').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.transport').waitFor();
    await openEveryView(page);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
});
