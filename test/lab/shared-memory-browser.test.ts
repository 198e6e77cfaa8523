// Algorithms on shared memory in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay } from '../../src/sim/index.ts';
import { describeLab, expectAccessible, exported, opened, openedAt, sharedLink } from './lab-page.ts';

const narration = (page: Page) => page.locator('.narration');
const waitForNarration = (page: Page, text: string) => narration(page).getByText(text).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const inside = (page: Page) => page.locator('.process.inside').count();

/** Selects a process, clicks an action, and waits for the narration of its event. */
async function intervene(page: Page, process: number, action: string, narrated: string): Promise<void> {
  const chosen = page.locator('.process').nth(process);
  if ((await chosen.getAttribute('aria-pressed')) === 'false') await chosen.click();
  await page.locator('.actions').getByRole('button', { name: action, exact: true }).click();
  await waitForNarration(page, narrated);
}

describeLab('shared memory in the lab', { firefoxFrom: 'verify' }, () => {
  test('an algorithm is found in the catalogue, and played to an entry', async () => {
    const page = await opened('#run/raymond?n=4&at=3');
    await page.locator('.picker').click();
    await page.getByLabel('Search algorithms').fill('shared memory');
    expect(await page.locator('.catalogue h3').allInnerTexts()).toEqual([
      'Mutual exclusion, shared memory',
      'Wrong on purpose',
    ]);
    await page.getByRole('button', { name: /^Peterson lock atomic reads and writes, 2 processes/ }).click();
    await page.locator('.picker').getByText('Peterson lock').waitFor();
    await press(page, 'Pause');
    await page.keyboard.press('Home');
    await press(page, 'Next entry');
    await waitForNarration(page, 'enters');
    expect(await inside(page)).toBe(1);
    expect(await page.locator('.processes').innerText()).toContain('critical section');
    expect(await page.locator('.source .marked').first().innerText()).toMatch(
      /'wait until not Q\[j\]'|'or TURN = j'/,
    );
    expect(await page.locator('.counters').innerText()).toMatch(/Accesses\s+\d+\s+read\s+\d+[\s\S]*write/);
    await press(page, 'next write');
    await waitForNarration(page, 'writes');
    const scenario = await page.locator('.scenario').innerText();
    expect(scenario).not.toMatch(/Network|Identifiers|Latency/);
    expect(await page.locator('.switches label').allInnerTexts()).toEqual(['nobody crashes']);
    await page.locator('.switches').getByRole('checkbox').uncheck();
    await page.locator('.void').getByText('No longer true: nobody crashes').waitFor();
    await page.context().close();
  });

  test('two processes are stepped into the critical section of a mutant that sets the turn first', async () => {
    const page = await opened('#run/peterson-lock-turn-first?n=2&at=0');
    await intervene(page, 0, 'Ask', 'p0 asks for the lock');
    await intervene(page, 0, 'Next access', 'p0 writes 0 to TURN');
    await intervene(page, 1, 'Ask', 'p1 asks for the lock');
    await intervene(page, 1, 'Next access', 'p1 writes 1 to TURN');
    await intervene(page, 1, 'Next access', 'p1 writes 1 to Q[1]');
    await intervene(page, 1, 'Next access', 'p1 reads 0 from Q[0], enters');
    await intervene(page, 0, 'Next access', 'p0 writes 1 to Q[0]');
    expect(await page.locator('.source .marked').first().innerText()).toContain("'Q[i] := true'");
    await intervene(page, 0, 'Next access', 'p0 reads 1 from Q[1]');
    await intervene(page, 0, 'Next access', 'Violated: at most one inside');
    expect(await inside(page)).toBe(2);
    expect(await page.locator('.done li').count()).toBe(9);
    const picture = page.getByRole('region', { name: 'The memory' });
    expect(await picture.locator('canvas').getAttribute('aria-label')).toBe(
      '2 processes and Q[0] = 1, Q[1] = 1, TURN = 1',
    );
    await page.getByRole('tab', { name: 'Registers' }).click();
    const registers = page.locator('.register');
    expect(await registers.allInnerTexts()).toEqual([
      expect.stringMatching(/Q\[0\]\s+1\s+by p0, event 7/),
      expect.stringMatching(/Q\[1\]\s+1\s+by p1, event 5/),
      expect.stringMatching(/TURN\s+1\s+by p1, event 4/),
    ]);
    const svg = `${await exported(page, 'SVG')}`;
    for (const name of ['Q[0]', 'Q[1]', 'TURN']) expect(svg).toContain(`>${name}</text>`);
    expect(`${await exported(page, 'Mermaid')}`).toContain('p0->>m: TURN := 0');
    expect(`${await exported(page, 'ShiViz')}`).toContain('p1 {');
    const trace = parseTrace(`${await exported(page, 'Trace')}`);
    expect(replay(resolve('peterson-lock-turn-first'), trace).ok).toBe(true);
    await registers.last().click();
    await waitForNarration(page, 'p1 writes 1 to TURN');
    await page.context().close();
  });

  test('a process is paused, crashed and restarted; a paused process makes no access', async () => {
    const page = await opened('#run/bakery?n=2&start=none&at=0');
    await intervene(page, 0, 'Ask', 'p0 asks');
    await intervene(page, 0, 'Next access', 'p0 writes 1 to choosing[0]');
    await intervene(page, 0, 'Pause', 'p0 pauses');
    expect(await page.locator('.actions').getByRole('button', { name: 'Next access' }).isDisabled()).toBe(
      true,
    );
    await intervene(page, 0, 'Resume', 'p0 goes on');
    await intervene(page, 0, 'Crash', 'p0 crashes: choosing[0] becomes 0');
    await intervene(page, 0, 'Restart', 'p0 restarts');
    expect(await page.locator('.void').count()).toBe(0); // the paper allows it
    await page.context().close();
  });

  test('a counterexample opens from the check view, shows where it loops, and is shared', async () => {
    const page = await opened('#run/lamport?n=4&at=3&view=check');
    await page.getByRole('combobox', { name: 'Algorithm', exact: true }).selectOption('dekker-after-you');
    await page.locator('.picker').getByText('Dekker after you').waitFor();
    await page.locator('.ask').getByRole('button', { name: 'Check' }).click();
    await page.locator('.headline').getByText('Violated: every request enters').waitFor();
    expect(await page.locator('.example').innerText()).toContain('After event 2 it goes round for ever.');
    await press(page, 'Open this run at its last step');
    await waitForNarration(page, 'Violated: every request enters');
    await page.locator('.scrub').fill('2');
    await waitForNarration(page, 'From here it goes round for ever.');
    const link = await sharedLink(page);
    const elsewhere = await openedAt(link);
    await waitForNarration(elsewhere, 'From here it goes round for ever.');
    for (const part of ['.narration', '.position', '.picker', '.processes', '.counters'])
      expect(await elsewhere.locator(part).innerText(), part).toBe(await page.locator(part).innerText());
    await page.context().close();
    await elsewhere.context().close();
  });

  test('a text is run, broken and checked', async () => {
    const page = await opened('#run/peterson-lock?n=2&at=3&view=edit');
    const [result, run] = [
      page.locator('.result'),
      page.locator('.edit').getByRole('button', { name: 'Run' }),
    ];
    await page.getByText('None: it keeps to the contract').waitFor();
    await run.click();
    await page.locator('.source .file').getByText('from the editor').waitFor();
    await press(page, 'Next entry');
    await waitForNarration(page, 'enters');
    await press(page, 'Edit');
    await page.getByLabel('Processes to check with').selectOption('2');
    await page.locator('.edit').getByRole('button', { name: 'Check' }).click();
    await result.getByText('Nothing is violated').waitFor();
    await page.locator('.cm-line', { hasText: "release: 'Q[i] := false'" }).click();
    await page.keyboard.press('End');
    await page.keyboard.insertText(" request: 'wait until not Q[j]',");
    await page.locator('.edit').getByRole('button', { name: 'Check' }).click();
    await result.getByText('Violated: who waits while the other is inside came last').waitFor();
    await press(page, 'Watch the counterexample');
    await waitForNarration(page, 'Violated: who waits while the other is inside came last');
    expect(await inside(page)).toBe(1);
    await page.context().close();
  });

  const widths = [390, 1024, 1600].flatMap((width) => [[width, 'dark'] as const, [width, 'light'] as const]);
  test.each(widths)(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, colorScheme) => {
      const page = await opened('#run/bakery?n=3&entries=2&seed=1&at=30', {
        viewport: { width, height: 860 },
        colorScheme,
      });
      await page.locator('.process').nth(1).click();
      await expectAccessible(page);
      await page.getByRole('tab', { name: 'Registers' }).click();
      await expectAccessible(page);
      await page.context().close();
    },
  );
});
