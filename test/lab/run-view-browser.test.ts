// The run view in a real browser.
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ricartAgrawala } from '../../src/algorithms/index.ts';
import { resolve } from '../../src/catalogue/index.ts';
import { parseTrace, traceText } from '../../src/core/trace.ts';
import { replay } from '../../src/sim/index.ts';
import { SimulatedTimeline, traceOfTimeline } from '../../src/timeline/index.ts';
import { browserName, type ContextOptions } from '../browsers.ts';
import { thorough } from '../tiers.ts';
import {
  accessibilityViolations,
  address,
  describeLab,
  enter,
  expectAccessible,
  exported,
  opened as openedAnywhere,
  sharedLink,
} from './lab-page.ts';

/** Opens the lab and waits for its first picture. */
async function opened(fragment = '', options: ContextOptions = {}): Promise<Page> {
  const page = await openedAnywhere(fragment, options);
  await until(page, "performance.getEntriesByName('first-picture').length > 0");
  return page;
}

/** Polls an expression. The content policy forbids the page to wait for one itself. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(20);
}

const still = '#run/ricart-agrawala?n=4&seed=2&entries=2&at=20';

const position = async (page: Page): Promise<number> =>
  Number((await page.locator('.position').innerText()).split('/')[0]);
const narration = (page: Page) => page.locator('.narration').innerText();

// A worker computes the runs, so the effect of a click takes a moment.
const waitForNarration = (page: Page, text: string) =>
  page.locator('.narration p', { hasText: text }).waitFor();
const expectCount = (page: Page, selector: string, count: number) =>
  expect.poll(() => page.locator(selector).count()).toBe(count);

describeLab('the run view', { firefoxFrom: 'full' }, () => {
  test('the first load is small', async () => {
    const page = await opened();
    const loaded = new Set<string>(); // fetched again below: a browser does not keep all bodies
    page.on('response', (response) => loaded.add(response.url()));
    await page.reload();
    await until(page, "Number(document.querySelector('.scrub')?.value) > 2");
    const bodies = [...loaded].map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer()));
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    const size = sizes.reduce((a, b) => a + b, 0);
    console.log(`first load ${Math.round(size / 1000)} kB compressed`);
    expect(size).toBeGreaterThan(10_000);
    expect(size).toBeLessThan(300_000);
    await page.context().close();
  });

  test('steps, goes back, scrubs, jumps and plays', async () => {
    const page = await opened(still);
    expect(await position(page)).toBe(20);
    const before = await narration(page);
    await page.getByRole('button', { name: 'One event on' }).click();
    expect(await position(page)).toBe(21);
    expect(await narration(page)).not.toBe(before);
    await page.getByRole('button', { name: 'One event back' }).click();
    expect(await narration(page)).toBe(before);
    await page.locator('.scrub').fill('5');
    expect(await position(page)).toBe(5);
    await page.getByRole('button', { name: 'Next entry' }).click();
    expect(await narration(page)).toContain('enters');
    expect(await page.locator('.process.inside')).toBeDefined();
    expect(await page.locator('.process.inside').count()).toBe(1);
    expect(await page.locator('.source .marked').first().innerText()).toContain('reply');
    await page.getByRole('button', { name: 'next request' }).click();
    expect(await narration(page)).toContain('sends request');
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.locator('.speed select').selectOption('64');
    await page.getByRole('button', { name: 'Play' }).click();
    await until(page, "document.querySelector('.fine') !== null");
    await waitForNarration(page, 'everything promised held');
    await page.context().close();
  });

  test('a message is delivered, delayed, dropped; a process is crashed, paused, asks; every intervention is taken back', async () => {
    const page = await opened(still);
    await page.getByRole('tab', { name: /On the way/ }).click();
    await page.locator('.message').first().click();
    await page.getByRole('button', { name: 'Deliver now' }).click();
    await expect.poll(() => position(page)).toBe(21);
    await waitForNarration(page, 'receives');
    await page.locator('.message').first().click();
    await page.getByRole('button', { name: 'Delay by' }).click();
    await page.getByRole('button', { name: 'Drop', exact: true }).click();
    await waitForNarration(page, 'never gets message');
    await page.getByRole('tab', { name: 'States' }).click();
    await page.locator('.process').nth(2).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).last().click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Crash' }).click();
    await expectCount(page, '.process.crashed', 1);
    await expectCount(page, '.done li', 6);
    const done = page.locator('.done li');
    expect(await page.locator('.void').innerText()).toContain('no message is lost, nobody crashes');
    await page.keyboard.press('End');
    await waitForNarration(page, 'Violated: every request enters');
    for (let left = 5; left >= 0; left -= 1) {
      await done
        .last()
        .getByRole('button', { name: /Take back/ })
        .click();
      await expectCount(page, '.done li', left);
    }
    await page.keyboard.press('End');
    await waitForNarration(page, 'everything promised held');
    await page.locator('.process').nth(1).click();
    await page.getByRole('button', { name: 'Ask for the lock' }).click();
    await waitForNarration(page, 'asks for the lock');
    await page.context().close();
  });

  test('a click on a link allows to cut it', async () => {
    const page = await opened('#run/token-ring?n=4&at=3');
    const { x, y, width, height } = (await page.locator('.network canvas').boundingBox())!;
    for (
      let right = 0;
      right < 200 && (await page.getByRole('button', { name: 'Cut' }).count()) === 0;
      right += 7
    )
      await page.mouse.click(x + width / 2 + right, y + height * 0.33);
    await page.getByRole('button', { name: 'Cut' }).click();
    await waitForNarration(page, 'loses its link');
    await page.getByRole('button', { name: 'Mend' }).click();
    await waitForNarration(page, 'has its link');
    await page.context().close();
  });

  test('keys typed right after / go to the search, however busy the page is', async () => {
    const page = await opened(still);
    const focused = await page.evaluate(`
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true })); // no time to render
      Promise.resolve().then(() => document.activeElement.getAttribute('aria-label'))
    `);
    expect(focused).toBe('Search algorithms');
    await page.context().close();
  });

  test('the keyboard alone finds and chooses another algorithm', async () => {
    const page = await opened(still);
    await page.keyboard.press('/');
    await page.keyboard.type('election two-way frank');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.picker').getByText('Franklin').waitFor();
    await page.keyboard.press(' ');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowLeft');
    expect(await position(page)).toBe(10);
    await page.keyboard.press('n');
    await waitForNarration(page, 'leader');
    await page.getByRole('tab', { name: 'States' }).click(); // keys work from there too
    await page.keyboard.press('Home');
    expect(await position(page)).toBe(0);
    await page.keyboard.press('t');
    expect(await page.getByRole('radio', { name: 'As in time' }).isChecked()).toBe(true);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('d');
    await until(page, "document.documentElement.dataset.theme === 'dark'");
    await page.context().close();
  });

  test('the last of three links opened at once wins, and no picture mixes two runs', async () => {
    const page = await opened(still);
    const seen = await page.evaluate<string[]>(`(async () => {
      const seen = new Set();
      const look = () => {
        const [n] = /\\d+(?= processes)/.exec(document.querySelector('.scroller canvas').ariaLabel);
        seen.add(document.querySelector('.picker').innerText.trim() + ' ' + n);
      };
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(look())));
      for (const link of ['raymond?n=6', 'lamport?n=8', 'maekawa?n=7']) {
        const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
        location.hash = '#run/' + link + '&at=5';
        look();
        await changed;
      }
      while (!seen.has('Maekawa 7')) await frame();
      for (let k = 0; k < 10; k += 1) await frame(); // nothing may follow
      return [...seen];
    })()`);
    expect(seen[0]).toBe('Ricart–Agrawala 4');
    expect(seen.at(-1)).toBe('Maekawa 7');
    expect(['Ricart–Agrawala 4', 'Raymond 6', 'Lamport 8', 'Maekawa 7']).toEqual(
      expect.arrayContaining(seen),
    );
    await page.context().close();
  });

  test('the Tab key reaches every control; a message is dropped without a pointer', async () => {
    const page = await opened(still);
    const reached = new Set<string>();
    for (let k = 0; k < 60; k += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText",
      );
      reached.add(focused.trim());
      if (focused.startsWith('States')) break;
    }
    expect([...reached]).toEqual(
      expect.arrayContaining(['Share', 'Zoom in on the network', 'Space-time diagram, scrolls', 'States']),
    );
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>('document.activeElement.className')) !== 'message')
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Drop', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expectCount(page, '.done li', 1);
    await page.context().close();
  });

  test('the scenario is changed; invalid values are reported', async () => {
    const page = await opened('#run/chang-roberts?n=5&seed=1&at=3');
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await enter(field('Identifiers'), '4, 3, 2, 1');
    await expect.poll(() => field('Processes').inputValue()).toBe('4');
    await page.getByRole('button', { name: 'To the end' }).click();
    await expect.poll(() => page.locator('.counters h2 output').innerText()).toBe('14');
    await enter(field('Identifiers'), '1,1');
    await waitForNarration(page, 'id 1 is given twice');
    await enter(field('Processes'), '8');
    await expectCount(page, '.processes li', 8);
    await page.context().close();
  });

  test('a copied link opens the same picture in a fresh profile; exported files have the right format', async () => {
    const page = await opened(still);
    await page.getByRole('tab', { name: /On the way/ }).click();
    await page.locator('.message').first().click();
    await page.getByRole('button', { name: 'Drop', exact: true }).click();
    await expectCount(page, '.done li', 1);
    const link = await sharedLink(page);
    const elsewhere = await opened(link.slice(address.length));
    const svg = `${await exported(page, 'SVG')}`;
    expect(`${await exported(elsewhere, 'SVG')}`).toBe(svg);
    const isDrawing = `new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').documentElement.nodeName`;
    expect(await page.evaluate(isDrawing)).toBe('svg');
    expect((await exported(page, 'PNG')).subarray(1, 4).toString()).toBe('PNG');
    expect(`${await exported(page, 'Mermaid')}`).toMatch(/^sequenceDiagram\n/);
    expect(`${await exported(page, 'ShiViz')}`).toMatch(/\np\d \{"p\d":\d+/);
    const trace = `${await exported(page, 'Trace')}`;
    expect(trace).toBe(`${await exported(elsewhere, 'Trace')}`);
    expect(replay(ricartAgrawala, parseTrace(trace))).toMatchObject({ ok: true });
    await page
      .getByLabel('A trace to open')
      .setInputFiles({ name: 'a.trace', mimeType: 'text/plain', buffer: Buffer.from(trace) });
    await until(page, "document.querySelector('.violated') !== null");
    expect(await narration(page)).toContain('Violated');
    await drop(elsewhere, trace.replace(/^hand .*\n/m, ''));
    await elsewhere.getByText('A recorded run').waitFor();
    await drop(elsewhere, 'nonsense');
    await elsewhere.locator('.narration').getByText('is not a baton trace').waitFor();
    await page.context().close();
    await elsewhere.context().close();
  });

  test('a recorded run that is too long for a link is offered as a file', async () => {
    const timeline = new SimulatedTimeline(resolve('lamport'), { n: 12, entries: 30, seed: 4 });
    timeline.advanceTo(30_000);
    const page = await opened(still);
    await drop(page, traceText(traceOfTimeline(timeline)).replace('\nseed 4\n', '\nseed 5\n')); // the scenario no longer makes this run
    await page.getByText('A recorded run').waitFor();
    const before = page.url();
    await page.getByRole('button', { name: 'Share' }).click();
    await waitForNarration(page, 'too long for an address');
    expect(await page.getByRole('button', { name: /^Trace/ }).isVisible()).toBe(true);
    expect(page.url()).toBe(before);
    await page.context().close();
  });

  test('a tooltip describes the event under the pointer, with its logical times', async () => {
    const page = await opened('#run/ricart-agrawala?n=3&seed=2&at=8');
    const { x, y, width, height } = (await page.locator('.scroller canvas').boundingBox())!;
    for (let k = 0; k < 400 && (await page.locator('.hint').count()) === 0; k += 1)
      await page.mouse.move(
        x + 100 + ((k * 11) % (width - 120)),
        y + 40 + Math.floor((k * 11) / (width - 120)) * 9 + (k % 2),
        { steps: 1 },
      );
    expect(height).toBeGreaterThan(100);
    expect(await page.locator('.hint').innerText()).toMatch(
      /p\d .*time \d+\s*Lamport\s*\d+\s*vector\s*\[\d+, \d+, \d+\]/s,
    );
    await page.context().close();
  });

  const widths = [390, 1024, 1600];
  test.each(widths.flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
    'no horizontal scrolling and no serious accessibility violation: %i wide, %s',
    async (width, theme) => {
      const page = await opened(still, {
        viewport: { width, height: 860 },
        colorScheme: theme as 'light' | 'dark',
      });
      await expectAccessible(page);
      if (width === 1024) {
        await page.getByTitle('Choose an algorithm (/)').click();
        expect(await accessibilityViolations(page)).toEqual([]);
      }
      await page.context().close();
    },
  );

  thorough('frames take little work with 10,000 events and 1,000 processes', async () => {
    const page = await opened('#run/chang-roberts?n=1000&seed=1&at=0');
    await until(page, 'Number(document.querySelector(".scrub").max) >= 8000');
    await page.waitForTimeout(500);
    for (const [what, action] of Object.entries(motions)) {
      const { median, work } = await bestOf(3, page, action);
      console.log(`${what}: median frame ${median} ms; longest task ${work ?? 'unknown'} ms of work`);
      expect(work === null, what).toBe(browserName === 'Firefox');
      expect(work ?? 0, what).toBeLessThan(50);
    }
    await page.context().close();
  });
});

/** Drops a file onto the page. */
async function drop(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], 'dropped.trace'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }`);
}

const motions = {
  scrub:
    "const scrub = document.querySelector('.scrub'); scrub.value = k * 130; scrub.dispatchEvent(new Event('input', { bubbles: true }))",
  scroll: "const box = document.querySelector('.scroller'); box.scrollTop = k * 60; box.scrollLeft = k * 900",
  'zoom the diagram':
    "document.querySelector('[aria-label=\"Zoom ' + (k % 12 < 6 ? 'out of' : 'in on') + ' the diagram\"]').click()",
  'zoom the network':
    "document.querySelector('[aria-label=\"Zoom ' + (k % 12 < 6 ? 'in on' : 'out of') + ' the network\"]').click()",
  'another run becomes known': 'if (k === 1) document.querySelector(\'[aria-label="Another seed"]\').click()',
  play: "if (k === 1) { const speed = document.querySelector('.speed select'); speed.value = '64'; speed.dispatchEvent(new Event('change', { bubbles: true })); document.querySelector('.play').click(); }",
};

interface Frames {
  readonly median: number; // milliseconds; of the wall clock, so other programs on this machine lengthen them
  readonly work: number | null; // milliseconds of processor time, of the longest task; null in Firefox, which does not trace tasks
}

/** Returns the measurement with the least work. Other programs slow work down, too: only what every measurement shows is the page's own. */
async function bestOf(times: number, page: Page, action: string): Promise<Frames> {
  let best = await framesAndWork(page, action);
  for (let k = 1; k < times && (best.work ?? 0) >= 50; k += 1) {
    const next = await framesAndWork(page, action);
    if (next.work! < best.work!) best = next;
  }
  return best;
}

async function framesAndWork(page: Page, action: string): Promise<Frames> {
  const browser = page.context().browser()!;
  const categories = ['disabled-by-default-devtools.timeline', '__metadata'];
  if (browserName === 'Chromium') await browser.startTracing(page, { categories });
  const frames = await page.evaluate<number[]>(measured(action));
  const work = browserName === 'Chromium' ? longestTask(`${await browser.stopTracing()}`) : null;
  return { median: Math.round(frames[Math.floor(frames.length / 2)]!), work };
}

interface ChromeTraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number; // microseconds of processor time; missing if the task began before the trace
  readonly args: { readonly name?: string };
}

function longestTask(trace: string): number {
  const { traceEvents }: { readonly traceEvents: readonly ChromeTraceEvent[] } = JSON.parse(trace);
  const isPage = ({ name, args }: ChromeTraceEvent) =>
    name === 'thread_name' && args.name === 'CrRendererMain';
  const pages = new Set(traceEvents.filter(isPage).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && pages.has(`${pid} ${tid}`));
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
}

/** Measures 60 frames during a motion, and sorts their times. */
const measured = (action: string) => `new Promise((resolve) => {
  const frames = [];
  let last = performance.now();
  let k = 0;
  const frame = () => {
    const now = performance.now();
    if (k > 1) frames.push(now - last);
    last = now;
    k += 1;
    ${action};
    if (k < 62) requestAnimationFrame(frame);
    else resolve(frames.sort((a, b) => a - b));
  };
  requestAnimationFrame(frame);
})`;
