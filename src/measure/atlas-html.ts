import { escapeXml } from '../chart/index.ts';
import { isNumericCell } from './number-format.ts';
import type { Block } from './report-block.ts';

const css = `
body { font: 15px/1.5 system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; color: #222; margin: 0 auto; max-width: 1100px; padding: 0 16px 64px }
h1, h2, h3 { line-height: 1.2; margin: 1.6em 0 0.5em } h2 { border-bottom: 1px solid #ddd; padding-bottom: 0.2em }
code { background: #f3f3f3; border-radius: 3px; padding: 0 3px; font-size: 0.92em }
.scroll { overflow-x: auto; margin: 0.8em 0 }
table { border-collapse: collapse; font-size: 13px } th { text-align: left; font-weight: 600; background: #f7f7f7 }
td, th { border: 1px solid #e2e2e2; padding: 3px 9px; vertical-align: top } td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
svg.chart { max-width: 100%; height: auto; display: block; margin: 1em 0 }
summary { cursor: pointer; color: #0072b2 } nav { columns: 4 200px; font-size: 13px } nav a { display: block }
a { color: #0072b2 }
strong { color: #b00020 }
`;

/** The report as a single HTML file, with styles and figures inside. */
export function atlasHtml(blocks: readonly Block[]): string {
  const headings = blocks.filter((block) => block.type === 'heading');
  const sections = headings.filter(({ level }) => level === 3);
  const links = sections.map(({ text }) => `<a href="#${slug(text)}">${escapeXml(text)}</a>`).join('');
  const body = blocks.map((block, k) => (k === 0 ? `${html(block)}<nav>${links}</nav>` : html(block)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(headings[0]!.text)}</title>
<style>${css}</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`;
}

function html(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h${block.level} id="${slug(block.text)}">${escapeXml(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`;
    case 'figure':
      return block.svg.trimEnd();
    case 'table': {
      const head = block.head.map((cell) => `<th>${inline(cell)}</th>`).join('');
      const rows = block.rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('\n');
      return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table></div>`;
    }
    case 'details':
      return `<details><summary>${inline(block.summary)}</summary>${block.blocks.map(html).join('')}</details>`;
  }
}

const cellOf = (cell: string): string =>
  isNumericCell(cell) ? `<td class="number">${cell}</td>` : `<td>${inline(cell)}</td>`;

const inline = (text: string): string =>
  escapeXml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\(([\w.-]+)\)/g, '<a href="$2">$1</a>');

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
