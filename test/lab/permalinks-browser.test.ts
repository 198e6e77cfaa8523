// Permalinks in a real browser: damaged ones, and those that violate an assumption.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeLab, enter, expectAccessible, opened, openedAt, sharedLink } from './lab-page.ts';

const waitForNarration = (page: Page, text: string) => page.locator('.narration').getByText(text).waitFor();
const voided = (page: Page) => page.locator('.void').allInnerTexts();

describeLab('links to the lab', { firefoxFrom: 'verify' }, () => {
  test.each([
    ['#run/%E0%A4%A', "Not done: the link is damaged: '%E0%A4%A' names no algorithm."],
    ['#run/lamport?n=4&bogus=1&at=5', "Not done: 'bogus=1' in the address means nothing."],
    ['#run/lamport?n=4&at=abc', "Not done: 'at=abc' in the address means nothing."],
    ['#run/raimond', "Not done: no algorithm is called 'raimond'; did you mean raymond."],
  ])('%s is reported in a sentence, and the page shows a run', async (fragment, sentence) => {
    const page = await opened(fragment);
    await waitForNarration(page, sentence);
    expect(await page.locator('.process').count()).toBeGreaterThan(3);
    await page.context().close();
  });

  test('an alias opens the algorithm it stands for', async () => {
    const page = await opened('#run/active-list-ring?n=4&at=3&view=check&check=active-list-ring;n:2');
    await page.locator('.picker').getByText('Le Lann').waitFor();
    await page.getByText('Holds in every interleaving').waitFor();
    await expect.poll(() => page.evaluate('location.hash')).toContain('#run/le-lann?');
    await page.context().close();
  });

  test('a composition runs, and every view shows it or explains why not', async () => {
    const page = await opened('#run/token-ring+bully?n=4&entries=2&crash=1@40&at=1');
    await page.locator('.picker').getByText('Token ring + Bully').waitFor();
    await page.locator('.source .file').getByText('src/compositions/lock-recovery.ts').waitFor(); // it is loaded later
    expect(await page.locator('.processes').innerText()).toContain('epoch');
    expect(await page.locator('.counters').innerText()).toMatch(/lock[\s\S]*election[\s\S]*install/);
    await page.getByLabel('Take a snapshot').check();
    await page.locator('.picker').getByText('Token ring + Bully + Chandy–Lamport').waitFor();
    await page.locator('.picker').click();
    await page.getByLabel('Search algorithms').fill('raymond+bully');
    expect(await page.locator('.catalogue h3').allInnerTexts()).toEqual(['Composition']);
    await page.keyboard.press('Enter');
    await page.locator('.picker').getByText('Raymond + Bully').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('A composition has no text of its own.').waitFor();
    await page.locator('.code-editor').getByText("name: 'raymond'").waitFor();
    await page.context().close();
  });

  test('a composition is checked and measured by its name', async () => {
    const asks = 'view=check&check=raymond+bully;n:2;maxStates:2000';
    const checks = await opened(`#run/raymond+bully?n=4&at=1&${asks}`);
    await checks.getByText('Not complete: nothing found so far.').waitFor();
    await checks.context().close();
    const measures = await opened('#run/raymond?view=measure&measure=raymond+bully,raymond:16:5');
    await measures.getByText('Every bound holds').waitFor();
    await measures.getByRole('row', { name: /Raymond \+ Bully heavy load/ }).waitFor();
    expect(await measures.getByLabel('Raymond + Bully').isChecked()).toBe(true);
    await measures.context().close();
  });

  test('a damaged link keeps the current run', async () => {
    const page = await opened('#run/lamport?n=4&at=5');
    await page.locator('.process').nth(3).waitFor();
    const follow = async () => {
      await page.evaluate("location.hash = '#run/%E0%A4%A'"); // the page may overwrite it with its own address
      return page.locator('.narration').innerText();
    };
    await expect.poll(follow, { interval: 400, timeout: 60_000 }).toContain('the link is damaged');
    expect(await page.locator('.picker').first().innerText()).toContain('Lamport');
    await page.context().close();
  });

  test('the switch of a violated assumption is off, and turning it on restores the assumption', async () => {
    const page = await opened('#run/ricart-agrawala?n=3&lose=1&cut=0-1@5&at=2');
    await page.getByText('No longer true: no message is lost, every link stays.').waitFor();
    expect(await page.getByRole('button', { name: 'Let the checker' }).count()).toBe(0);
    expect(await page.getByLabel('no message is lost').isChecked()).toBe(false);
    await page.getByLabel('every link stays').click();
    await page.getByText('No longer true: no message is lost. ').waitFor();
    await page.getByLabel('no message is lost').check();
    await expect.poll(() => voided(page)).toEqual([]);
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/^#run\/ricart-agrawala\?n=3&at=0(&|$)/);
    await page.context().close();
  });

  test('an intervention that was not possible violates no assumption', async () => {
    const page = await opened('#run/lamport?n=4&hand=3:drop:999&at=5');
    await page.getByText('not done: message #999 is not on its way').waitFor();
    expect(await voided(page)).toEqual([]);
    await page.context().close();
  });

  test('a link has the version of the algorithm’s text, and the page says when that has changed', async () => {
    const page = await opened('#run/raymond?n=3&at=4');
    await page.locator('.transport').waitFor();
    await expect.poll(() => page.evaluate<string>('location.hash')).toMatch(/&version=[0-9a-f]{8}$/);
    const link = await sharedLink(page);
    const again = await openedAt(link);
    await again.locator('.transport').waitFor();
    const changed = await openedAt(link.replace(/version=\w+/, 'version=00000000'));
    await changed.getByText('The text of Raymond has changed since this link was made').waitFor();
    await expectAccessible(changed);
    expect(await again.locator('.changed').innerText()).toBe('');
    await enter(changed.getByLabel('Seed', { exact: true }), '5');
    await expect.poll(() => changed.locator('.changed').innerText()).toBe('');
    for (const one of [page, again, changed]) await one.context().close();
  });
});
