import type { MeasureId } from './measure-list.ts';

/** Groups digits in threes, with no-break spaces. */
export const formatInteger = (value: number): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, '\u00a0');

/** Formats a number with its significant digits. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return formatInteger(value);
  if (value >= 1000) return formatInteger(Math.round(value));
  return value.toFixed(value >= 100 ? 1 : 2);
}

/** Formats a figure of a measure: shares in percent, small figures with two significant digits. */
export function formatFigure(value: number, measure: MeasureId): string {
  if (measure === 'messages') return formatNumber(value);
  if (measure === 'busiest') return `${Number((100 * value).toPrecision(value < 0.0995 ? 2 : 3))}\u00a0%`;
  return value > 0 && value < 1 ? `${Number(value.toPrecision(2))}` : formatNumber(value);
}

export const isNumericCell = (cell: string): boolean => /^[\d.\u00a0]+%?$/.test(cell);
