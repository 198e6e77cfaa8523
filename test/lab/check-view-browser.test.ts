// The check view in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  address,
  describeLab,
  enter,
  expectAccessible,
  exported,
  opened,
  openedAt,
  sharedLink,
} from './lab-page.ts';

const headline = (page: Page) => page.locator('.headline');
const narration = (page: Page) => page.locator('.narration');
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const choice = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describeLab('the check view', { firefoxFrom: 'verify' }, () => {
  test('a check that passes shows what it covered, and opens a covered run', async () => {
    const page = await opened('#run/ricart-agrawala?n=4&at=3');
    await press(page, 'Check');
    await field(page, 'Processes').waitFor();
    await page.locator('.ask').getByRole('button', { name: 'Check' }).click();
    await headline(page).getByText('Holds in every interleaving').waitFor();
    const details = await page.locator('.details').innerText();
    expect(details).toContain('Each of 3 processes asks once, at any moment, or never');
    expect(details).toContain('at most one inside');
    expect(details).toContain('one is inside while another waits');
    expect(await page.locator('.figures').innerText()).toMatch(/\d+\s*states/);
    await press(page, 'Open a run that was covered');
    await narration(page).getByText('everything promised held').waitFor();
    await press(page, 'Check');
    await headline(page).getByText('Holds').waitFor(); // the result is kept
    await page.context().close();
  });

  test('what never happened is shown as never', async () => {
    const page = await opened('#run/ricart-agrawala?n=4&at=3&view=check&check=ricart-agrawala;n:1');
    await headline(page).getByText('Holds').waitFor();
    const never = await page.locator('.details .never').allInnerTexts();
    expect(never.map((text) => text.replace(/^✕\s*/, ''))).toEqual([
      'Never: one is inside while another waits',
      'Never: messages request, reply',
    ]);
    await page.context().close();
  });

  test('a violation is described in a sentence, and its run opens at the last step', async () => {
    const page = await opened('#run/lamport?n=4&at=3&view=check');
    await enter(field(page, 'Processes'), '2');
    await choice(page, 'Channels').selectOption('unordered');
    expect(await page.locator('.command').innerText()).toBe('baton check lamport --n 2 --channels unordered');
    await page.locator('.ask').getByRole('button', { name: 'Check' }).press('Enter');
    await headline(page).getByText('Violated: at most one inside.').waitFor();
    expect(await headline(page).innerText()).toContain('Processes 0 and 1 are inside at the same time.');
    await press(page, 'Open this run at its last step');
    await narration(page).getByText('Violated: at most one inside').waitFor();
    expect(await page.locator('.position').innerText()).toBe('4 / 4');
    await page.context().close();
  });

  test('shows its progress, stops on request, and refuses invalid requests', async () => {
    const page = await opened('#run/lamport?n=4&at=3&view=check&check=lamport;n:4;entries:3');
    await headline(page).getByText('Looking').waitFor();
    await expect
      .poll(async () => Number((await page.locator('.figures dd').first().innerText()).replaceAll(',', '')))
      .toBeGreaterThan(1000);
    await press(page, 'Stop');
    await headline(page).getByText('Stopped: nothing found so far').waitFor();
    await enter(field(page, 'Crashes'), '99');
    await page.locator('.ask').getByRole('button', { name: 'Check' }).click();
    await headline(page).getByText('Not checked: crashes must be').waitFor();
    await page.context().close();
  });

  test('one click opens the shortest run of an erratum, another the kept run', async () => {
    const page = await opened('#run/lamport?n=4&at=3&view=check');
    const erratum = page.locator('.gallery li', { hasText: 'ER-05' });
    expect(await erratum.innerText()).toContain('a request does not raise the clock');
    await erratum.getByRole('button', { name: /^Shortest/ }).click();
    await narration(page).getByText('Violated: at most one inside').waitFor();
    expect(await page.locator('.position').innerText()).toBe('10 / 10');
    expect(await page.locator('.picker').innerText()).toContain('Ricart–Agrawala no clock update');
    await press(page, 'Check');
    await page.locator('.gallery li', { hasText: 'ER-05' }).getByRole('button', { name: /^Kept/ }).click();
    await page.locator('.position').getByText('/ 16').waitFor();
    await narration(page).getByText('Violated: at most one inside').waitFor();
    await page.context().close();
  });

  test('long names of lemmas stay inside the page', async () => {
    const page = await opened('#run/lamport?view=check&check=li-hudak-forgets;n:2');
    const items = page.locator('.marks li', { hasText: 'who waits is in one queue' });
    await items.waitFor();
    const right = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().right);
    const box = await items.boundingBox();
    expect(box!.x + box!.width).toBeLessThan(await right('.details'));
    await page.context().close();
  });

  test('a link to the counterexample opens the same picture at the same position', async () => {
    const page = await opened('#run/lamport?n=4&at=3&view=check');
    await choice(page, 'Algorithm').selectOption('ricart-agrawala-no-clock-update');
    await page.locator('.ask').getByRole('button', { name: 'Check' }).click();
    await press(page, 'Open this run at its last step');
    await page.getByText('A recorded run').waitFor();
    await press(page, 'One event back');
    await press(page, 'One event back');
    const link = await sharedLink(page);
    expect(link).toMatch(/#run\/ricart-agrawala-no-clock-update\?at=\d+&(?:version=\w+&)?trace=[\w-]+$/);
    const elsewhere = await openedAt(link);
    await elsewhere.getByText('A recorded run').waitFor();
    for (const part of ['.narration', '.position', '.picker', '.processes', '.counters'])
      expect(await elsewhere.locator(part).innerText(), part).toBe(await page.locator(part).innerText());
    expect(`${await exported(elsewhere, 'SVG')}`).toBe(`${await exported(page, 'SVG')}`);
    await press(elsewhere, 'To the end');
    await narration(elsewhere).getByText('Violated: who is inside made the first of all requests').waitFor();
    await elsewhere.goto(`${address}#run/lamport?trace=nonsense`);
    await narration(elsewhere).getByText('the text in the link is damaged').waitFor();
    await page.context().close();
    await elsewhere.context().close();
  });

  test('an assumption is turned off, and the checker finds the failure', async () => {
    const page = await opened('#run/lamport?n=4&entries=2&at=3');
    await page.getByRole('checkbox', { name: 'channels keep order' }).uncheck();
    await page.locator('.switches .void').getByText('No longer true: channels keep order').waitFor();
    await press(page, 'Let the checker find the failure');
    await headline(page).getByText('Violated: at most one inside').waitFor();
    expect(await choice(page, 'Channels').inputValue()).toBe('unordered');
    await press(page, 'Run');
    await page.getByRole('checkbox', { name: 'channels keep order' }).check();
    await page.locator('.switches .void').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('a link repeats the check in another profile', async () => {
    const page = await opened('#run/bully?n=4&at=3');
    await page.getByRole('checkbox', { name: 'messages arrive before timers end' }).uncheck();
    await press(page, 'Let the checker find the failure');
    await headline(page).getByText('Violated: at most one leader').waitFor();
    const link = await sharedLink(page);
    const elsewhere = await openedAt(link);
    await headline(elsewhere).getByText('Violated: at most one leader').waitFor();
    await page.context().close();
    await elsewhere.context().close();
  });

  const widths = [390, 1024, 1600];
  test.each(widths.map((width, k) => [width, k % 2 === 0 ? 'dark' : 'light'] as const))(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, theme) => {
      const page = await opened('#run/lamport?at=3&view=check&check=lamport;n:2;channels:unordered', {
        viewport: { width, height: 860 },
        colorScheme: theme,
      });
      await headline(page).getByText('Violated').waitFor();
      await expectAccessible(page);
      await page.context().close();
    },
  );
});
