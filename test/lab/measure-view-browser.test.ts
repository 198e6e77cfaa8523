// The measure view in a real browser.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ricartAgrawala, suzukiKasami } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { sizesUpTo } from '../../src/lab/measure/sweep.ts';
import { sweepCsv } from '../../src/lab/measure/sweep-csv.ts';
import { planOf, rowOf, samplesOf, tasksOf } from '../../src/measure/index.ts';
import { describeLab, expectAccessible, exported, opened, openedAt, sharedLink } from './lab-page.ts';

/** Opens the text of Ricart–Agrawala in the editor, changes it, and opens the measure view with it. */
async function measuringOwn(change: (page: Page) => Promise<void>, options = {}): Promise<Page> {
  const page = await opened('#run/ricart-agrawala?n=4&view=edit&at=0', options);
  await page.getByText('None: it keeps to the contract').waitFor();
  await change(page);
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await page.locator('.transport').waitFor();
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('button', { name: 'Measure' }).click();
  await page.getByLabel('Processes, up to').selectOption('16');
  await page.getByLabel('Runs of each').selectOption('5');
  return page;
}

const unchanged = async () => {};

/** Measures an algorithm as the view does, with another name, and returns the lines of the CSV. */
function csvLines(algorithm: AnyAlgorithm, name = algorithm.name): string[] {
  const options = { sizes: sizesUpTo(16), runs: 5, budget: 400_000 };
  const plan = planOf([algorithm], options);
  const rows = plan.points.map((point, k) => {
    const tasks = tasksOf(plan, options).filter((task) => task.point === k);
    return {
      ...rowOf(
        point,
        tasks.flatMap((task) => samplesOf(algorithm, task)),
      ),
      algorithm: name,
    };
  });
  return sweepCsv('mutex', 'delay', rows).split('\n');
}

describeLab('the measure view', { firefoxFrom: 'verify' }, () => {
  test('algorithms are chosen, measured and compared with the bounds of their papers', async () => {
    const page = await opened('#run/raymond?n=7&at=3');
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.getByText('Every bound holds').waitFor();
    expect(await page.locator('.figure svg.chart').count()).toBe(2);
    await page.getByLabel('Against the papers').getByText('exactly 2(n-1)').first().waitFor();
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

  test('an algorithm from the editor is compared with others in any measure, exported and shared', async () => {
    const page = await measuringOwn(unchanged);
    await page.getByLabel('Maekawa').uncheck();
    await page.getByLabel('Suzuki–Kasami').check();
    await page.getByText('Every bound holds').waitFor();
    await page.getByLabel('Measure', { exact: true }).selectOption('delay');
    await page.getByText('From a release, while another process waits').first().waitFor();
    const panel = page.getByLabel('Compared').locator('g.panel', { hasText: 'heavy load' });
    const lines = panel.locator('.series').filter({ has: page.locator('.line[d^=M]') });
    expect(await lines.count()).toBe(3);
    await panel.getByText('ricart-agrawala (yours)', { exact: true }).waitFor();
    await page.getByLabel('Against the papers').getByText('at most 2T').waitFor(); // of suzuki-kasami
    const cells = async (name: string) =>
      (
        await page
          .getByRole('row', { name: `${name} heavy load` })
          .locator('td')
          .allInnerTexts()
      ).slice(1);
    expect(await cells('Ricart–Agrawala (yours)')).toEqual(await cells('Ricart–Agrawala'));

    const csv = `${await exported(page, 'CSV')}`.split('\n');
    const yours = csvLines(ricartAgrawala, 'ricart-agrawala (yours)');
    const all = [...yours, ...csvLines(ricartAgrawala), ...csvLines(suzukiKasami)];
    expect(csv.toSorted()).toEqual([...new Set(all)].toSorted());
    const svg = `${await exported(page, 'SVG')}`;
    expect(svg).toMatch(/^<svg .*Mutual exclusion: synchronisation delay in T.*ricart-agrawala \(yours\)/s);
    expect((await exported(page, 'PNG')).subarray(1, 4).toString()).toBe('PNG');
    expect(`${await exported(page, 'Claims, SVG')}`).toContain('at most 2T');

    const elsewhere = await openedAt(await sharedLink(page));
    await elsewhere.getByText('None: it keeps to the contract').waitFor(); // it does not run yet
    await elsewhere.getByRole('button', { name: 'Run', exact: true }).last().click();
    await elsewhere.getByText('Every bound holds').waitFor();
    expect(await elsewhere.locator('.table').innerText()).toBe(await page.locator('.table').innerText());
    await page.context().close();
    await elsewhere.context().close();
  });

  test('another measure needs no other runs, and one that does not apply gives way to messages', async () => {
    const page = await opened('#run/raymond?view=measure&measure=raymond,lamport:16:5:elements');
    await page.getByText('Every bound holds').waitFor();
    const status = await page.getByRole('status').last().innerText();
    await page.evaluate('window.Worker = undefined');
    for (const measure of ['throughput', 'chain', 'busiest', 'waiting']) {
      await page.getByLabel('Measure', { exact: true }).selectOption(measure);
      await page.getByLabel('Compared').locator('svg.chart').waitFor();
      expect(await page.getByRole('status').last().innerText()).toBe(status);
    }
    await page.context().close();
    const other = await opened('#run/raymond?view=measure&measure=chang-roberts:16:5:delay');
    await other.getByText('Every bound holds').waitFor();
    expect(await other.getByLabel('Measure', { exact: true }).inputValue()).toBe('messages');
    await other.context().close();
  });

  test('an algorithm from the editor that never ends is stopped; the others are measured', async () => {
    const endless =
      ' const f = (k: number): number => (k < 2 ? 1 : f(k - 1) + f(k - 2)); if (p.n > 8) f(60);';
    const page = await measuringOwn(async (editor) => {
      await editor.locator('.cm-line', { hasText: 'request(s, p) {' }).first().click();
      await editor.keyboard.press('End');
      await editor.keyboard.insertText(endless);
    });
    await page.getByRole('alert').getByText('a handler had not ended after four seconds').waitFor();
    await page.getByText('Every bound holds').waitFor();
    await page.getByRole('row', { name: /^Ricart–Agrawala heavy load/ }).waitFor();
    await page.context().close();
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
      const own = await measuringOwn(unchanged, { viewport: { width, height: 860 }, colorScheme: theme });
      await own.getByText('Every bound holds').waitFor();
      await own.getByText('All measures').click();
      await own.getByLabel('Measure', { exact: true }).selectOption('response');
      await own.getByLabel('Compared').locator('svg.chart').waitFor();
      await expectAccessible(own);
      await own.context().close();
    },
  );
});
