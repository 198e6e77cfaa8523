/** Formats rows as columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, k) => {
      widths[k] = Math.max(widths[k] ?? 0, cell.length);
    });
  const line = (row: readonly string[]) =>
    row
      .map((cell, k) => cell.padEnd(widths[k]!))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${indent}${line(row)}\n`).join('');
}
