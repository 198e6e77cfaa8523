import { drawPanel, fontSize, legendLines, marker, type Panel } from './panel.ts';
import type { SeriesStyle } from './series-styles.ts';
import { element, escapeXml, text, textWidth } from './svg-elements.ts';

/** Panels in rows, under a title and a common legend. */
export interface Figure {
  readonly title: string;
  readonly about: string;
  readonly legend: readonly { readonly name: string; readonly style: SeriesStyle }[];
  readonly columns: number; // at most
  readonly labels: number; // width reserved for names beside each panel
  readonly rows: readonly { readonly height: number; readonly panels: readonly Panel[] }[];
}

const defaultWidth = 1080;
const leastPanelWidth = 330;
const gap = 14;
const titleSize = 17;
const titleHeight = 21; // of a line
const letterWidth = 0.52; // of the font size, on average

const css = `
.chart { font-family: 'Helvetica Neue', Arial, 'Liberation Sans', system-ui, sans-serif; font-size: ${fontSize}px; fill: #222 }
.chart .paper { fill: #fff }
.chart .head { font-size: ${titleSize}px; font-weight: 600 }
.chart .about, .chart .axis { fill: #555 }
.chart .title { font-size: 12.5px; font-weight: 600 }
.chart .tick { fill: #555; font-size: 10px }
.chart .middle { text-anchor: middle }
.chart .end { text-anchor: end }
.chart .grid { stroke: #dedede; stroke-width: 0.8 }
.chart .fine { stroke: #f1f1f1; stroke-width: 0.8 }
.chart .curve { fill: none; stroke: #333; stroke-width: 1.1 }
.chart .at-most { stroke-dasharray: 7 3 }
.chart .mean { stroke-dasharray: 1.5 2.5; stroke-width: 1.8 }
.chart .at-least { stroke-dasharray: 9 3 2 3 }
.chart .exactly { stroke: #cfcfcf; stroke-width: 7 }
.chart .guide { stroke: #999; stroke-width: 1; stroke-dasharray: 1 3 }
.chart .guide-label { fill: #666; font-style: italic; paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round }
.chart .line { fill: none; stroke-width: 1.6 }
.chart .thin { stroke-width: 1; opacity: 0.5 }
.chart .range { opacity: 0.13 }
.chart .thread { fill: none; stroke-width: 0.7; opacity: 0.6 }
.chart .formula { font-size: 10px; fill: #444 }
.chart .panel:has(.series:hover) .series:not(:hover) { opacity: 0.15 }
`;

/** Returns how many panels fit beside each other, and how wide each is. */
export function panelColumns(most: number, width = defaultWidth): { columns: number; panelWidth: number } {
  const columns = Math.max(1, Math.min(most, Math.floor((width + gap) / (leastPanelWidth + gap))));
  return { columns, panelWidth: (width - gap * (columns - 1)) / columns };
}

export function drawFigure(figure: Figure, width = defaultWidth): string {
  const { columns, panelWidth } = panelColumns(figure.columns, width);
  const title = wrapped(figure.title, width - 16, titleSize * 1.15); // it is bold
  const aboutTop = 43 + titleHeight * (title.length - 1);
  const about = wrapped(figure.about, width - 16, fontSize);
  const legend = legendOf(figure, aboutTop + 5 + 16 * about.length, width);
  let top = aboutTop + 1 + 16 * about.length + legend.height;
  const parts: string[] = [];
  for (const { height: plotHeight, panels } of figure.rows.flatMap((row) => inColumns(row, columns))) {
    const lines = Math.max(...panels.map(legendLines));
    const height = plotHeight + 13 * lines;
    panels.forEach((panel, k) => {
      const box = { left: k * (panelWidth + gap), top, width: panelWidth, height };
      parts.push(drawPanel(panel, box, figure.labels, lines));
    });
    top += height + gap;
  }
  const size = { viewBox: `0 0 ${width} ${top}`, width, height: top };
  return `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'chart', role: 'img', ...size },
    element('title', {}, escapeXml(figure.title)),
    element('style', {}, css),
    element('rect', { class: 'paper', width, height: top }),
    ...title.map((line, k) => text(line, { class: 'head', x: 8, y: 24 + titleHeight * k })),
    ...about.map((line, k) => text(line, { class: 'about', x: 8, y: aboutTop + 16 * k })),
    legend.marks,
    ...parts,
  )}\n`;
}

type PanelRow = Figure['rows'][number];

const inColumns = ({ height, panels }: PanelRow, columns: number): PanelRow[] =>
  Array.from({ length: Math.ceil(panels.length / columns) }, (_, k) => ({
    height,
    panels: panels.slice(k * columns, (k + 1) * columns),
  }));

function wrapped(sentence: string, width: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && longer.length * size * letterWidth <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function legendOf({ legend }: Figure, top: number, width: number): { marks: string; height: number } {
  let left = 12;
  let line = 0;
  const marks = legend.map(({ name, style }) => {
    const needs = Math.round(textWidth(name, fontSize)) + 46;
    if (left > 12 && left + needs > width) {
      left = 12;
      line += 1;
    }
    const [x, y] = [left, top + 24 * line];
    left += needs;
    return element(
      'g',
      {},
      element('path', {
        class: 'line',
        d: `M${x},${y}h22`,
        stroke: style.colour,
        'stroke-dasharray': style.dashes,
      }),
      marker(style, x + 11, y),
      text(name, { x: x + 28, y: y + 3.5 }),
    );
  });
  return { marks: marks.join(''), height: legend.length > 0 ? 24 * (line + 1) : 0 };
}
