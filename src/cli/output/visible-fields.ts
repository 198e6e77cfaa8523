import { visibleText } from '../../core/visible-text.ts';

/** Returns a copy whose texts can be printed: names and labels of other processes may contain what a terminal would obey. */
export function visibleFields<T>(value: T): T {
  if (typeof value === 'string') return visibleText(value) as T;
  if (Array.isArray(value)) return value.map(visibleFields) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, visibleFields(field)])) as T;
}

/** Returns JSON for people and programs. Whatever a terminal would obey is escaped, and is the same text to a program. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/[^\n\x20-\x7e]/g, (unit) =>
    /[\p{L}\p{N}\p{P}\p{S}\p{Zs}]/u.test(unit)
      ? unit
      : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
