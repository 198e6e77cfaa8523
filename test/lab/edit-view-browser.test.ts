// The edit view in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { address, describeLab, enter, expectAccessible, opened, openedAt, sharedLink } from './lab-page.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click();
const result = (page: Page) => page.locator('.result');
const editing = '#run/ricart-agrawala?n=4&seed=2&at=5&view=edit';

/** Opens the editor with a text to start from, after its first compilation. */
async function started(from: string, options = {}): Promise<Page> {
  const page = await opened(editing, options);
  await page.getByText('None: it keeps to the contract').waitFor();
  await page.getByLabel('Start from').selectOption(from);
  await page.locator('.cm-content').getByText('batonjs').waitFor();
  return page;
}

/** Appends text to the first line that contains `line`. */
async function append(page: Page, line: string, text: string): Promise<void> {
  await page.locator('.cm-line', { hasText: line }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.insertText(text);
}

/** Deletes the text of the line that contains `line`, with keys: the driver makes no triple click in Firefox. */
async function empty(page: Page, line: string): Promise<void> {
  await page.locator('.cm-line', { hasText: line }).click();
  for (const key of ['End', 'Shift+Home', 'Delete']) await page.keyboard.press(key);
}

/** Takes hours. It is no loop, in which the page would stop it after a million rounds. */
const endless = ' const f = (k: number): number => (k < 2 ? 1 : f(k - 1) + f(k - 2)); f(60);';

describeLab('the edit view', { firefoxFrom: 'verify' }, () => {
  test('the exercise: the check finds the mistake, the counterexample is opened, the line is mended', async () => {
    const page = await started('tie-break');
    await page.getByText('A hint').click();
    expect(await page.locator('.task').innerText()).toContain('exactly one must come first');
    await press(page, 'Check');
    await result(page).getByText('Violated: at most one inside').waitFor();
    await press(page, 'Watch the counterexample');
    await page.locator('.narration').getByText('Violated: at most one inside').waitFor();
    expect(await page.locator('.process.inside').count()).toBe(2);
    expect(await page.locator('.source .marked').first().innerText()).toContain('reply');
    await press(page, 'Edit');
    await page.locator('.cm-content').hover();
    await page.mouse.wheel(0, 5000);
    await append(page, 'const oursIsFirst', ''); // and before its semicolon:
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText(' || (s.ourSequenceNumber === k && p.me < j)');
    await press(page, 'Check');
    await result(page)
      .getByText(
        'Each of 3 processes asks up to 2 times, at any moment, or never; messages in any order. No faults.',
      )
      .waitFor();
    expect(await result(page).innerText()).toMatch(
      /Nothing is violated in any order of events: [\d,]+ states/,
    );
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+Enter');
    await page.locator('.picker').getByText('Ricart–Agrawala exercise').waitFor();
    await page.locator('.transport').waitFor();
    await page.keyboard.press('End');
    await page.getByText('everything promised held').waitFor();
    await enter(page.getByLabel('Processes', { exact: true }), '6');
    await expect.poll(() => page.locator('.processes li').count()).toBe(6);
    await page.context().close();
  });

  test('the header’s Check checks the text, and its Measure compares it', async () => {
    const page = await started('mutex');
    await page.locator('.cm-line', { hasText: "name: 'mine'" }).click();
    for (const key of ['End', 'Shift+Home', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText("  name: 'my-ring',");
    await press(page, 'Run');
    await page.locator('.transport').waitFor();
    const header = page.getByRole('navigation', { name: 'Views' });
    await header.getByRole('button', { name: 'Check' }).click();
    await page.getByText('From the editor, as it last ran').waitFor();
    expect(await page.locator('.ask option:checked').first().textContent()).toBe('My ring');
    expect(await page.locator('.command').innerText()).toBe('baton check ./my-ring.ts');
    await press(page, 'Check');
    await page.locator('.verdict').getByText('Violated: at most one inside').waitFor();
    expect(await page.locator('.verdict h2').innerText()).toContain('My ring');
    await press(page, 'Open this run at its last step');
    await page.locator('.narration').getByText('Violated: at most one inside').waitFor();
    expect(await page.locator('.source .file').innerText()).toBe('from the editor');
    await header.getByRole('button', { name: 'Measure' }).click();
    const row = page.getByRole('row', { name: /My ring \(yours\) heavy load/ });
    await row.getByText('VIOLATED: at most one inside').waitFor();
    await page.context().close();
  });

  test('the header’s Check checks the text, not the algorithm of the catalogue with the same name', async () => {
    const page = await opened(editing);
    await page.getByText('None: it keeps to the contract').waitFor();
    await append(page, 'request(s, p) {', " p.emit({ type: 'entered' });");
    await press(page, 'Run');
    await page.locator('.transport').waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Check' }).click();
    await page.getByText('From the editor, as it last ran').waitFor();
    await press(page, 'Check');
    await page.locator('.verdict').getByText('Violated').waitFor();
    await page.context().close();
  });

  test('errors are shown at their line: types, syntax, the contract, errors of handlers', async () => {
    const page = await started('mutex');
    const why = page.locator('.why');
    await append(page, 's.wants = true', ' p.sent(0);');
    await why.getByText("Property 'sent' does not exist").waitFor();
    await press(page, 'Run'); // type errors do not prevent a run
    await result(page).getByText('p.sent is not a function').waitFor();
    expect(await page.locator('.problems li').first().innerText()).toContain('line 23');
    await press(page, 'Watch it');
    await page.locator('.narration').getByText('Violated: the handlers do not fail').waitFor();
    await press(page, 'Edit');
    await append(page, 's.wants = true', ' }}');
    await press(page, 'Run');
    await result(page).getByText('Line ').waitFor();
    await page.getByLabel('Start from').selectOption('election');
    await page.locator('.cm-content').getByText('An election').waitFor();
    await append(page, 'bounds: [],', ' calls: 3,');
    await empty(page, 'knows:');
    await press(page, 'Check');
    await result(page).getByText('knows is missing').waitFor();
    await page.context().close();
  });

  test('an endless run is stopped, and the page stays responsive', async () => {
    const page = await started('mutex');
    await append(page, 's.wants = true', ' while (s.wants) {}');
    for (const name of ['Run', 'Check']) {
      await press(page, name);
      await result(page).getByText('a loop has not ended after 1000000 rounds').waitFor();
      expect(await page.locator('.problems li').first().innerText()).toContain('line 23');
    }
    await page.keyboard.press('Control+z');
    await page.getByLabel('Start from').selectOption('mutex');
    await page.getByText('None: it keeps to the contract').waitFor();
    await append(page, 's.wants = true', endless);
    for (const name of ['Run', 'Check']) {
      await press(page, name);
      await result(page).getByText('a handler had not come to an end after four seconds').waitFor();
    }
    await press(page, 'Check');
    await page.getByText('Looking at every order of events').waitFor();
    await press(page, 'Stop');
    await page.getByText('Check looks for an order of events').waitFor();
    await page.context().close();
  });

  test('a handler that never ends is stopped in the view Check, which can be used afterwards', async () => {
    const page = await started('mutex');
    await append(page, 's.wants = true', ` if (p.n === 3) {${endless} }`);
    await page.getByText('None: it keeps to the contract').waitFor();
    await press(page, 'Run'); // with four processes
    await page.locator('.transport').waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Check' }).click();
    await enter(page.getByLabel('Processes', { exact: true }), '3');
    await press(page, 'Check');
    await page.locator('.verdict').getByText('a handler of mine had not come to an end').waitFor();
    await enter(page.getByLabel('Processes', { exact: true }), '2');
    await page.keyboard.press('Control+Enter');
    await page.locator('.verdict').getByText('Violated: at most one inside').waitFor();
    await page.context().close();
  });

  test('Ctrl+Enter runs the text wherever the focus is', async () => {
    const page = await started('mutex');
    const focuses = [
      '.cm-content',
      '[aria-label="Processes to check with"]',
      '.task summary, .problems',
      'body',
    ];
    for (const selector of focuses) {
      await page.locator(selector).first().focus();
      await page.keyboard.press('Control+Enter');
      await page.locator('.transport').waitFor();
      await press(page, 'Edit');
      await page.locator('.cm-content').waitFor();
    }
    expect(await page.locator('.cm-line', { hasText: 'wants' }).count()).toBeGreaterThan(0);
    await page.context().close();
  });

  test('a handler that loops after an intervention is terminated, and the run stays', async () => {
    const page = await started('mutex');
    await append(page, '  init,', ` recover() {${endless} },`);
    await press(page, 'Run');
    await page.locator('.transport').waitFor();
    await page.locator('.scrub').fill('1'); // before two are inside
    await page.locator('.process').first().click();
    await press(page, 'Crash');
    await page.locator('.done li').waitFor();
    const there = await page.locator('.position').innerText();
    await press(page, 'Restart');
    await page.locator('.narration').getByText('not answered for four seconds').waitFor();
    expect(await page.locator('.position').innerText()).toBe(there);
    await page.locator('.process').nth(1).click();
    await press(page, 'Pause'); // in a new worker
    await expect.poll(() => page.locator('.done li').count()).toBe(2);
    await page.context().close();
  });

  test('custom code runs without page, storage and token, and the server refuses its requests', async () => {
    const page = await opened(editing.replace('#', '#token=for-the-page-only&'));
    await page.getByText('None: it keeps to the contract').waitFor();
    await page.getByLabel('Start from').selectOption('mutex');
    await page.locator('.cm-content').getByText('batonjs').waitFor();
    await append(
      page,
      "name: 'mine'",
      ' get paper() { const g = globalThis as any; const x = new g.XMLHttpRequest(); x.open("POST", "/live/demo/start", false); x.send();' +
        ' const seen = [g.location.href, g.name, ...g.performance.getEntries().map((e: any) => e.name)].join();' +
        ' return [typeof g.document, typeof g.sessionStorage, typeof g.localStorage, x.status, /token|for-the-page/.test(seen), seen].join(" "); },',
    );
    await empty(page, "paper: 'none'");
    await press(page, 'Run');
    await page.locator('.about').getByText('undefined undefined undefined 401 false').waitFor();
    expect(await page.locator('.about').innerText()).toContain('.worker-');
    expect(await page.evaluate('sessionStorage.getItem("baton-live-token")')).toBe('for-the-page-only');
    await page.context().close();
  });

  test('a link opens the text in another profile, and runs nothing before the user agrees', async () => {
    const page = await started('tie-break');
    await press(page, 'Run');
    await page.locator('.picker').getByText('Ricart–Agrawala exercise').waitFor();
    await page.keyboard.press(' ');
    await page.locator('.scrub').fill('7');
    const link = await sharedLink(page);
    const there = await page.locator('.narration').innerText();
    const elsewhere = await openedAt(link);
    await elsewhere.getByText('This text comes from a link and has not been run').waitFor();
    expect(await elsewhere.locator('.picker').innerText()).toContain('Raymond');
    await elsewhere.locator('.cm-content').getByText('With one mistake').waitFor();
    await elsewhere.getByRole('button', { name: 'Run the text of the link' }).click();
    await elsewhere.locator('.picker').getByText('Ricart–Agrawala exercise').waitFor();
    expect(await elsewhere.locator('.narration').innerText()).toBe(there);
    await elsewhere.goto(`${address}#run/mine?source=nonsense`);
    await result(elsewhere).getByText('the text in the link is damaged').waitFor();
    await page.context().close();
    await elsewhere.context().close();
  });

  test('a link to a counterexample carries its text', async () => {
    const page = await started('tie-break');
    await press(page, 'Check');
    await press(page, 'Watch the counterexample');
    await page.getByText('A recorded run').waitFor();
    await page.keyboard.press('ArrowLeft');
    const there = await page.locator('.narration').innerText();
    const link = await sharedLink(page);
    const elsewhere = await openedAt(link);
    await elsewhere.getByText('This text comes from a link and has not been run').waitFor();
    await elsewhere.locator('.cm-content').getByText('With one mistake').waitFor();
    await elsewhere.getByRole('button', { name: 'Run the text of the link' }).click();
    await elsewhere.getByText('A recorded run').waitFor();
    expect(await elsewhere.locator('.narration').innerText()).toBe(there);
    await page.context().close();
    await elsewhere.context().close();
  });

  test.each([
    [390, 'light'],
    [1024, 'dark'],
    [1600, 'light'],
  ] as const)(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, theme) => {
      const page = await started('tie-break', { viewport: { width, height: 860 }, colorScheme: theme });
      await append(page, 'const init', ' 3');
      await page.locator('.why').first().waitFor();
      await expectAccessible(page);
      await page.context().close();
    },
  );
});
