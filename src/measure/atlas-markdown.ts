import { isNumericCell } from './number-format.ts';
import type { Block } from './report-block.ts';

/** The report as Markdown. It links to the figures as files in `folder`. */
export function atlasMarkdown(blocks: readonly Block[], folder: string): string {
  return `${blocks.map((block) => markdown(block, folder)).join('\n\n')}\n`;
}

function markdown(block: Block, folder: string): string {
  switch (block.type) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'paragraph':
      return block.text;
    case 'figure':
      return `![${block.title}](${folder}/${block.name}.svg)`;
    case 'table':
      return [block.head, block.head.map((_, column) => rule(block.rows, column)), ...block.rows]
        .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
        .join('\n');
    case 'details':
      return `<details><summary>${block.summary}</summary>\n\n${atlasMarkdown(block.blocks, folder)}\n</details>`;
  }
}

/** Aligns numbers to the right. */
function rule(rows: readonly (readonly string[])[], column: number): string {
  const cells = rows.map((row) => row[column]!).filter((cell) => cell !== '');
  return cells.length > 0 && cells.every(isNumericCell) ? '--:' : '---';
}
