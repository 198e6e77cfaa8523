import type { Look } from './looks.ts';
import { drawPanel, fontSize, legendLines, marker, type Panel } from './panel.ts';
import { element, escaped, text, textWidth } from './svg.ts';

/** Panels in rows, under a title and a legend of what all of them show. */
export interface Figure {
  readonly title: string;
  readonly about: string;
  readonly legend: readonly { readonly name: string; readonly look: Look }[];
  readonly columns: number;
  readonly labels: number; // width kept free beside each panel for names
  readonly rows: readonly { readonly height: number; readonly panels: readonly Panel[] }[];
}

const width = 1080;
const gap = 14;

const css = `
.chart { font-family: 'Helvetica Neue', Arial, 'Liberation Sans', system-ui, sans-serif; font-size: ${fontSize}px; fill: #222 }
.chart .paper { fill: #fff }
.chart .head { font-size: 17px; font-weight: 600 }
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

export function drawFigure(figure: Figure): string {
  const panelWidth = (width - gap * (figure.columns - 1)) / figure.columns;
  let top = figure.legend.length > 0 ? 84 : 60;
  const parts: string[] = [];
  for (const { height: plotHeight, panels } of figure.rows) {
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
    element('title', {}, escaped(figure.title)),
    element('style', {}, css),
    element('rect', { class: 'paper', width, height: top }),
    text(figure.title, { class: 'head', x: 8, y: 24 }),
    text(figure.about, { class: 'about', x: 8, y: 43 }),
    legendOf(figure),
    ...parts,
  )}\n`;
}

function legendOf({ legend }: Figure): string {
  let left = 12;
  return legend
    .map(({ name, look }) => {
      const at = left;
      left += Math.round(textWidth(name, fontSize)) + 46;
      return element(
        'g',
        {},
        element('path', {
          class: 'line',
          d: `M${at},64h22`,
          stroke: look.colour,
          'stroke-dasharray': look.dashes,
        }),
        marker(look, at + 11, 64),
        text(name, { x: at + 28, y: 67.5 }),
      );
    })
    .join('');
}
