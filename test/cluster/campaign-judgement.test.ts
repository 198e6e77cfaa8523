// How the fault campaign judges what members report.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { merged, readFigures, withFigures } from '../../campaign/figures.ts';
import { History, type Hold } from '../../campaign/history.ts';
import { complaints } from '../../campaign/report.ts';
import { Resources } from '../../campaign/resource.ts';
import { WaitTimes } from '../../campaign/wait-times.ts';
import { Random } from '../../src/core/random.ts';

type Report = Pick<Hold, 'life' | 'acquired' | 'fence'> & { readonly released: number | null };

/** Reports that a process has held the only lock for some time. */
function report(history: History, { life, acquired, fence, released }: Report): void {
  const key = `${life} ${acquired}`;
  history.acquired(key, { member: life, life, lock: 'a', acquired, fence, waitedMs: 1 });
  if (released !== null) history.ended(key, 'released', released);
}

function historyOf(lives: readonly number[], reports: readonly Report[]): History {
  const history = new History();
  for (const [i, at] of lives.entries()) history.started(i, at);
  for (const one of reports) report(history, one);
  return history;
}

const promises = (history: History) => history.judge(Infinity).violations.map(({ promise }) => promise);

describe('the history', () => {
  test('finds a lock that two hold', () => {
    const history = historyOf(
      [0, 0],
      [
        { life: 0, acquired: 10, fence: 1, released: 20 },
        { life: 1, acquired: 15, fence: 2, released: 30 },
      ],
    );
    expect(promises(history)).toEqual(['one holder']);
    expect(history.verdict).toMatchObject({ holds: 2, overlaps: 1, overlapsExcused: 0, fencesBack: 0 });
  });

  test('excuses it after data was lost', () => {
    const history = historyOf(
      [0, 0],
      [
        { life: 0, acquired: 10, fence: 1, released: 20 },
        { life: 1, acquired: 15, fence: 2, released: 30 },
      ],
    );
    history.excuse({ from: 12, to: 16 });
    expect(promises(history)).toEqual([]);
    expect(history.verdict).toMatchObject({ overlaps: 0, overlapsExcused: 1 });
  });

  test('finds a fence that goes back, and an equal one', () => {
    for (const fence of [6, 7])
      expect(
        promises(
          historyOf(
            [0, 0],
            [
              { life: 0, acquired: 10, fence: 7, released: 20 },
              { life: 1, acquired: 25, fence, released: 30 },
            ],
          ),
        ),
      ).toEqual(['fences rise']);
  });

  test('after data was lost, excuses only a process that was there before the other', () => {
    const late = { life: 0, acquired: 25, fence: 6, released: 30 };
    const other = { life: 1, acquired: 10, fence: 7, released: 20 };
    const old = historyOf([0, 0], [other, late]);
    old.excuse({ from: 5, to: 100 });
    expect(promises(old)).toEqual([]);
    const started = historyOf([22, 0], [other, late]);
    started.excuse({ from: 5, to: 100 });
    expect(promises(started)).toEqual(['fences rise']);
    const again = historyOf([0, 0], [{ life: 0, acquired: 5, fence: 6, released: 8 }, other, late]);
    again.excuse({ from: 5, to: 100 });
    expect(promises(again)).toEqual(['fences rise']);
  });

  test('remembers the highest fence when it has forgotten the holds', () => {
    const history = historyOf([0], [{ life: 0, acquired: 10, fence: 7, released: 20 }]);
    expect(history.judge(100).holds).toHaveLength(1);
    history.exited(0);
    history.started(1, 200);
    report(history, { life: 1, acquired: 300, fence: 5, released: 310 });
    expect(history.judge(400)).toMatchObject({
      holds: [{ fence: 5 }],
      violations: [{ promise: 'fences rise' }],
    });
  });

  test('waits with its judgement for a lock that is still held', () => {
    const history = historyOf(
      [0, 0],
      [
        { life: 0, acquired: 10, fence: 1, released: null },
        { life: 1, acquired: 15, fence: 2, released: 30 },
      ],
    );
    expect(history.judge(100).holds).toEqual([]);
    history.ended('0 10', 'released', 20);
    expect(history.judge(100).violations).toMatchObject([{ promise: 'one holder', at: 15 }]);
  });

  test('judges in pieces as it judges at once', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = new Random(seed, 'history');
      const starts = Array.from({ length: 5 }, () => random.below(300));
      const reports = Array.from({ length: 60 }, (_, k) => {
        const acquired = 300 + 10 * k + random.below(5);
        return {
          life: random.below(5),
          acquired,
          fence: 50 + k - random.below(3),
          released: acquired + random.below(12),
        };
      });
      const [atOnce, inPieces] = [historyOf(starts, []), historyOf(starts, [])];
      for (const history of [atOnce, inPieces]) history.excuse({ from: 400, to: 600 });
      for (const [k, one] of reports.entries()) {
        report(atOnce, one);
        report(inPieces, one);
        if (k % 7 === 6) inPieces.judge(one.acquired);
      }
      atOnce.judge(Infinity);
      inPieces.judge(Infinity);
      expect(inPieces.verdict).toEqual(atOnce.verdict);
    }
  });
});

test('the quantiles of waiting times are exact to a twentieth', () => {
  const waits = new WaitTimes();
  for (let ms = 1; ms <= 10_000; ms += 1) waits.add(ms);
  for (const q of [0.1, 0.5, 0.99]) expect(Math.abs(waits.quantile(q) / (q * 10_000) - 1)).toBeLessThan(0.05);
  expect(waits.longest).toBe(10_000);
  expect(new WaitTimes().quantile(0.5)).toBe(0);
});

test('the resource reports an update that is lost in spite of the fence', () => {
  const resources = new Resources();
  const lost: string[] = [];
  resources.onLost = (lock) => lost.push(lock);
  resources.write('a', 1, resources.read('a', 1).fenced, null);
  resources.write('a', 2, 0, null);
  expect(lost).toEqual(['a']);
});

describe('the figures', () => {
  test('stand on the page', () => {
    const page = readFileSync('docs/campaign.md', 'utf8');
    expect(withFigures(page, readFigures())).toBe(page);
  });

  test('say what was left out', () => {
    const page = readFileSync('docs/campaign.md', 'utf8');
    const [first, ...others] = readFigures();
    const sentence = 'The disk is never full.';
    expect(withFigures(page, [{ ...first!, leftOut: [sentence] }, ...others])).toContain(
      `\n${first!.title}: ${sentence}\n`,
    );
  });

  test('have no violation', () => {
    for (const outcome of readFigures()) expect(complaints(outcome), outcome.title).toEqual([]);
  });

  test('keep the rows that were not measured again', () => {
    const figures = readFigures();
    const again = { ...figures[1]!, seconds: 1 };
    expect(merged(figures, [again])).toEqual([figures[0], again, ...figures.slice(2)]);
    const [files, ...engines] = figures;
    expect(files!.name).toBe('embedded');
    expect(merged(engines, [files!])).toEqual(figures);
  });
});
