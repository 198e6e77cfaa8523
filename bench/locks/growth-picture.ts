// Draws the figures of the growth benchmark: a row of panels by members, and one by locks held.
import type * as Chart from '../../dist/chart/index.js';
import { load } from '../against/works.js';
import { median } from '../results.js';
import { events, eventTitles, type Figures } from './growth-figures.js';
import { significant } from './report.js';

const dist = new URL('../../../dist/', import.meta.url).href;
const drawFigure = await load<typeof Chart.drawFigure>(dist, 'chart', 'drawFigure');
const seriesStyle = await load<typeof Chart.seriesStyle>(dist, 'chart', 'seriesStyle');

/** A line of a panel: the times of each group, one for each repetition. */
interface Line {
  readonly name: string;
  readonly style: number;
  readonly times: (figures: Figures) => readonly number[];
}

const joinLines: readonly Line[] = [
  { name: 'join resolves', style: 4, times: ({ joins }) => joins.map(({ resolvedMs }) => resolvedMs) },
  { name: 'first lock', style: 5, times: ({ joins }) => joins.map(({ firstLockMs }) => firstLockMs) },
];
const haltLines = (users: 'shared' | 'single'): readonly Line[] =>
  events.map((event, k) => ({
    name: event === 'nothing' ? 'nobody joins or leaves' : eventTitles[event],
    style: event === 'nothing' ? 6 : k - 1,
    times: (figures) => figures[users][event],
  }));

const panels = [
  { title: 'A join, ms', lines: joinLines },
  { title: 'Halt of a lock with two users, ms', lines: haltLines('shared') },
  { title: 'Halt of a lock with one user, ms', lines: haltLines('single') },
];

type Size = 'members' | 'locks';

export function growthPicture(byMembers: readonly Figures[], byLocks: readonly Figures[]): string {
  const y = rangeOf([...byMembers, ...byLocks]);
  const members = byLocks[0]?.members ?? 0;
  const row = (all: readonly Figures[], size: Size, xLabel: string) => ({
    height: 230,
    panels: panels.map(({ title, lines }) => panelOf(all, size, { title, xLabel, y }, lines)),
  });
  const legend = [...joinLines, ...haltLines('shared')].map(({ name, style }) => ({
    name,
    style: seriesStyle(style),
  }));
  return drawFigure({
    title: 'A group that grows: how long a join takes, and how long it stops unrelated locks',
    about:
      'Lines are medians, shades reach from the shortest to the longest. Above by members, with 5 locks each; below by locks held, with ' +
      `${members} members.`,
    legend,
    columns: panels.length,
    labels: 12,
    rows: [row(byMembers, 'members', 'members'), row(byLocks, 'locks', `locks held by ${members} members`)],
  });
}

/** A logarithmic axis has no place for 0: only the table has the figures of a group without locks. */
function panelOf(
  all: readonly Figures[],
  size: Size,
  heading: Pick<Chart.Panel, 'title' | 'xLabel' | 'y'>,
  lines: readonly Line[],
): Chart.Panel {
  const shown = all.filter((figures) => figures[size] > 0);
  const [least, most] = [shown[0]?.[size] ?? 1, shown.at(-1)?.[size] ?? 1];
  const series = lines.map(({ name, style, times }) => ({
    name,
    style: seriesStyle(style),
    label: false,
    isThin: false,
    points: shown.map((figures) => pointOf(figures[size], times(figures), name)),
  }));
  return { ...heading, x: [least, Math.max(most, 2 * least)], series, curves: [] };
}

const pointOf = (x: number, times: readonly number[], name: string) => ({
  x,
  y: median(times),
  low: Math.min(...times),
  high: Math.max(...times),
  title: `${name}, ${x.toLocaleString('en')}: ${significant(median(times))} ms`,
});

/** One axis for all panels, so that they can be compared. */
function rangeOf(all: readonly Figures[]): [number, number] {
  const times = panels.flatMap(({ lines }) => lines.flatMap((line) => all.flatMap(line.times)));
  return [Math.min(...times) * 0.8, Math.max(...times) * 1.25];
}
