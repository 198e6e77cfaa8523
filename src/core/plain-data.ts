import { AssertionError } from './assert.ts';

/**
 * Returns the canonical text of plain data: equal values give equal texts, whatever the order of their keys.
 *
 * @throws {AssertionError} when a part of the value is not plain data.
 *
 * @example
 * import { encode } from 'batonjs/core';
 *
 * encode({ waiting: [2, 1], clock: 3 }); // → '{"clock":3,"waiting":[2,1]}'
 */
export function encode(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return `${value}`;
  if (Array.isArray(value)) return encodeArray(value);
  if (isPlainObject(value)) return encodeFields(value);
  throw notPlain(value);
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export const notPlain = (value: unknown): AssertionError =>
  new AssertionError(`${kindOf(value)} is not plain data`);

/** Why a value is not plain data, as a sentence about `called`; null if it is. */
export function whyNotPlain(value: unknown, called: string): string | null {
  const part = foreignPart(value, 0);
  if (part === null) return null;
  const isWhole = part.of === value && part.kind !== itself;
  return `${called} ${isWhole ? 'is' : 'holds'} ${part.kind}, which is not plain data`;
}

const deepest = 1000;
const itself = 'itself'; // a cycle

/** The first part that is not plain, and its kind. */
function foreignPart(value: unknown, depth: number): { readonly of: unknown; readonly kind: string } | null {
  if (typeof value === 'number' && Number.isFinite(value)) return null;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (!Array.isArray(value) && !isPlainObject(value)) return { of: value, kind: kindOf(value) };
  if (depth === deepest) return { of: value, kind: itself };
  if (Array.isArray(value)) {
    for (let k = 0; k < value.length; k += 1) {
      const part = foreignPart(value[k], depth + 1);
      if (part !== null) return part;
    }
    return null;
  }
  for (const key in value) {
    const part = foreignPart(value[key], depth + 1);
    if (part !== null) return part;
  }
  return null;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return `${value}`;
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  const kind = typeof name === 'string' && name !== '' ? name : 'object without a prototype';
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

function encodeArray(values: readonly unknown[]): string {
  let text = '';
  for (let k = 0; k < values.length; k += 1) text += k === 0 ? encode(values[k]) : `,${encode(values[k])}`;
  return `[${text}]`;
}

function encodeFields(fields: Record<string, unknown>): string {
  const keys = Object.keys(fields);
  if (!areSorted(keys)) keys.sort();
  let text = '';
  for (const key of keys) text += `${text === '' ? '' : ','}${quoted(key)}:${encode(fields[key])}`;
  return `{${text}}`;
}

export function areSorted(keys: readonly string[]): boolean {
  for (let k = 1; k < keys.length; k += 1) if (keys[k - 1]! > keys[k]!) return false;
  return true;
}

const isUnescaped = /^\w*$/;

const quoted = (text: string): string => (isUnescaped.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Returns the value of a text that {@link encode} wrote.
 *
 * @example
 * import { decode, encode } from 'batonjs/core';
 *
 * decode(encode({ waiting: [2, 1] })); // → { waiting: [2, 1] }
 */
export const decode = (text: string): unknown => JSON.parse(text);

/** A deep copy of plain data. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.slice();
    for (let k = 0; k < copy.length; k += 1) if (typeof copy[k] === 'object') copy[k] = copyOf(copy[k]);
    return copy as T;
  }
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyOf(copy[key]);
  return copy as T;
}

/**
 * Freezes a value deeply, and returns it. A handler that changes a frozen message after `send` fails at once.
 *
 * @example
 * import { freeze } from 'batonjs/core';
 *
 * const message = freeze({ type: 'token', queue: [1, 2] });
 * Object.isFrozen(message.queue); // → true
 */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) freeze(field);
  }
  return value;
}
