import { AssertionError } from './assert.ts';

/** Canonical text of plain data: equal values give equal texts, whatever the order of their keys. */
export function encode(value: unknown): string {
  if (value === null || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (Array.isArray(value)) return `[${value.map(encode).join(',')}]`;
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const fields = value as Record<string, unknown>;
    const keys = Object.keys(fields).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${encode(fields[key])}`).join(',')}}`;
  }
  throw new AssertionError(`not plain data: ${String(value)}`);
}

export const decode = (text: string): unknown => JSON.parse(text);

/** Freezes deeply, so that a handler that changes a message after `send` fails at once. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) freeze(field);
  }
  return value;
}
