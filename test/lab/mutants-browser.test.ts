// Wrong algorithms in a real browser: they open on a run that fails.
import { expect, test } from 'vitest';
import { describeLab, enter, opened } from './lab-page.ts';

describeLab('a wrong algorithm', { firefoxFrom: 'verify' }, () => {
  test('opens on a run that fails, from the list and from a link that only names it', async () => {
    const page = await opened('#run/bakery-no-choosing');
    const narration = page.locator('.narration');
    await page.getByRole('button', { name: 'To the end' }).click();
    await narration.locator('.violated').getByText('Violated: at most one inside').waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('Search algorithms').fill('martin-lets-go');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong on purpose').waitFor();
    await page.getByRole('button', { name: 'To the end' }).click();
    await narration.locator('.violated').getByText('Violated: at most one inside').waitFor();
    await page.context().close();
  });

  test('does not pass in a run that hides the error: the page offers one that shows it', async () => {
    const page = await opened('#run/martin-lets-go?n=2&seed=29&at=0');
    const narration = page.locator('.narration');
    await enter(page.getByLabel('Seed', { exact: true }), '1');
    await expect.poll(() => page.evaluate('location.hash')).toContain('seed=1&');
    await page.getByRole('button', { name: 'To the end' }).click();
    await narration.getByText('This run does not show the error.').waitFor();
    expect(await narration.innerText()).not.toContain('everything promised held');
    await narration.getByRole('button', { name: 'Open a run that fails' }).click();
    await expect.poll(() => page.getByLabel('Seed', { exact: true }).inputValue()).toBe('29');
    await page.getByRole('button', { name: 'To the end' }).click();
    await narration.locator('.violated').getByText('Violated: at most one inside').waitFor();
    await page.context().close();
  });

  test('whose runs keep every promise leads to a check of the lemmas', async () => {
    const page = await opened('#run/hirschberg-sinclair-first-copy');
    const narration = page.locator('.narration');
    await page.getByRole('button', { name: 'To the end' }).click();
    await narration.getByText('no run breaks a promise').waitFor();
    await narration.getByRole('button', { name: 'Check the lemmas' }).click();
    await page.locator('.violated.headline').waitFor();
    const asked = page.getByLabel('What was covered').locator('.violated');
    expect(await asked.innerText()).toContain('Violated: who has heard the end hears no more of the winner');
    await page.context().close();
  });
});
