/** Groups digits in threes, with no-break spaces. */
export const formatInteger = (value: number): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, '\u00a0');

/** Formats a number with its significant digits. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return formatInteger(value);
  if (value >= 1000) return formatInteger(Math.round(value));
  return value.toFixed(value >= 100 ? 1 : 2);
}

export const isNumericCell = (cell: string): boolean => /^[\d.\u00a0]+$/.test(cell);
