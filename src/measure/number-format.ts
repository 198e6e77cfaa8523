import type { MeasureId } from './measure-list.ts';

/** Groups digits in threes, with no-break spaces. */
export const formatInteger = (value: number): string => `${value}`.replace(/\B(?=(\d{3})+$)/g, '\u00a0');

/** Formats a number with its significant digits. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return formatInteger(value);
  if (value >= 1000) return formatInteger(Math.round(value));
  return value.toFixed(value >= 100 ? 1 : 2);
}

/** Formats a number without zeros at its end, and with two significant digits if it is small. */
export function formatBriefly(value: number): string {
  if (value >= 1000 || Number.isInteger(value)) return formatNumber(value);
  return `${Number(value < 1 ? value.toPrecision(2) : value.toFixed(value >= 100 ? 1 : 2))}`;
}

/** Formats a figure of a measure: shares in percent. */
export function formatFigure(value: number, measure: MeasureId): string {
  if (measure === 'messages') return formatNumber(value);
  return measure === 'busiest' ? `${formatPercentage(100 * value)}\u00a0%` : formatBriefly(value);
}

const formatPercentage = (value: number): string =>
  `${Number(value < 10 ? value.toPrecision(2) : value.toFixed(1))}`;

export const isNumericCell = (cell: string): boolean => /^[\d.\u00a0]+%?$/.test(cell);
