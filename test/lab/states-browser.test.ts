// Local states and their changes, in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeLab, expectAccessible, opened } from './lab-page.ts';

/** Returns a field of a process in the table of states. */
const field = (page: Page, process: number, name: string) =>
  page
    .getByRole('list', { name: 'Local states' })
    .locator('> li')
    .nth(process)
    .locator('dl > div', { has: page.locator(`dt:text-is("${name}")`) });

const fieldTexts = (page: Page, name: string, n: number) =>
  Promise.all(Array.from({ length: n }, (_, i) => field(page, i, name).locator('dd').innerText()));

describeLab('the states', { firefoxFrom: 'verify' }, () => {
  test('show processes in place of addresses, and what an event changed', async () => {
    const page = await opened('#run/raymond?n=3&topology=line&root=1&start=2&at=0');
    await expect.poll(() => fieldTexts(page, 'holder', 3)).toEqual(['p1', 'self', 'p1']);
    await page.getByRole('button', { name: 'One event on' }).click();
    await page.getByRole('button', { name: 'One event on' }).click();
    expect(await fieldTexts(page, 'holder', 3)).toEqual(['p1', 'p2', 'p1']);
    expect(await field(page, 1, 'holder').getAttribute('class')).toBe('new');
    expect(await page.locator('.changes').innerText()).toBe('holder: self → p2');
    await expectAccessible(page);
    await page.context().close();
  });

  test('of messages and sentences name processes, too', async () => {
    const page = await opened('#run/li-hudak?n=3&start=2&at=1');
    await page.locator('.narration').getByText('sends request(origin=p2) to p0').waitFor();
    await page.getByRole('tab', { name: /On the way/ }).click();
    expect(await page.locator('.message .text').innerText()).toBe('request(origin=p2)');
    await page.context().close();
  });

  test('a number that an algorithm finds is shown once it is found', async () => {
    const page = await opened('#run/vitanyi-ring-size?n=3&ids=2,1,3&latency=fixed:0&at=0');
    const found = page.getByRole('region', { name: 'Found' });
    await found.getByText('ring size: not found yet').waitFor();
    await page.keyboard.press('End');
    await found.getByText('ring size: 3, found by p1 (1)').waitFor();
    await expectAccessible(page);
    await page.context().close();
  });

  test('of leaders name processes, by position or by id', async () => {
    for (const [run, leader] of [
      ['bully?n=3&start=2@0', 'p2'],
      ['chang-roberts?n=3&ids=2,9,5', 'p1 (9)'],
    ]) {
      const page = await opened(`#run/${run}&at=0`);
      await page.locator('.narration').getByText('Nothing has happened yet.').waitFor();
      await page.keyboard.press('n');
      await page.locator('.narration p', { hasText: `has leader ${leader}` }).waitFor();
      await page.context().close();
    }
  });

  test('of a counterexample change with each event', async () => {
    const page = await opened('#run/raymond?view=check&check=raymond-forgets-itself;n:3;lemmas:off');
    await page.getByRole('button', { name: 'Open this run at its last step' }).click();
    await expect.poll(() => page.locator('.changes').allInnerTexts()).toEqual(['holder: p2 → self']);
    await page.getByRole('button', { name: 'One event back' }).click();
    expect(await page.locator('.changes').innerText()).toBe('holder: self → p0');
    await page.context().close();
  });

  test('of shared memory change registers and lines', async () => {
    const page = await opened('#run/dekker?start=0@0&at=2');
    await expect
      .poll(() => page.locator('.changes').allInnerTexts())
      .toEqual(['c[0]: 1 → 0, at “L: if c[j] = 0”']);
    await page.context().close();
  });
});
