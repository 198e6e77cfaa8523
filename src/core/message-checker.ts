// Which fields the messages of an algorithm have, and what they may hold. A member of a group refuses any other message.
import type { Message } from './algorithm.ts';
import type { MessageShape, MessageShapes } from './message-shape.ts';
import { isPlainObject, whyNotPlain } from './plain-data.ts';

type ValueCheck = (value: unknown) => boolean;

const isCount: ValueCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isBelow =
  (limit: number): ValueCheck =>
  (value) =>
    isCount(value) && (value as number) < limit;

function isListOf(value: unknown, length: number, check: ValueCheck): boolean {
  if (!Array.isArray(value) || value.length !== length) return false;
  for (let k = 0; k < length; k += 1) if (!check(value[k])) return false;
  return true;
}

/** The shapes that are texts. Each makes its check for n processes. */
const named: { readonly [S in MessageShape & string]: (n: number) => ValueCheck } = {
  boolean: () => (value) => typeof value === 'boolean',
  integer: () => Number.isSafeInteger,
  count: () => isCount,
  process: isBelow,
  processes: (n) => (value) => {
    if (!Array.isArray(value) || value.length > n) return false;
    for (let k = 0; k < value.length; k += 1)
      if (!isCount(value[k]) || value[k] >= n || value.indexOf(value[k]) !== k) return false;
    return true;
  },
  'count per process': (n) => (value) => isListOf(value, n, isCount),
  'counts by process': (n) => (value) => {
    if (!isPlainObject(value)) return false;
    for (const key in value) if (!(isName(key, n) && isCount(value[key]))) return false;
    return true;
  },
  plain: () => (value) => whyNotPlain(value, '') === null,
};

export const shapeNames = Object.keys(named);

/** Whether a key of an object is the name of a process. */
const isName = (key: string, n: number): boolean => isBelow(n)(Number(key)) && String(Number(key)) === key;

/** Returns the check of one field in a run of n processes. */
export function shapeCheck(shape: MessageShape, n: number): ValueCheck {
  if (typeof shape === 'string') return named[shape](n);
  if ('below' in shape) return isBelow(shape.below);
  if ('perProcess' in shape) {
    const { perProcess } = shape;
    return (value) => isListOf(value, n, (one) => perProcess.includes(one as string));
  }
  const checks = shape.map((part) => shapeCheck(part, n));
  return (value) =>
    Array.isArray(value) && value.length === checks.length && checks.every((check, k) => check(value[k]));
}

/** Compares messages with the shapes that an algorithm declares. Made once for a run; a check allocates nothing. */
export class MessageChecker {
  readonly #kinds: ReadonlyMap<
    string,
    { readonly fields: readonly string[]; readonly checks: readonly ValueCheck[] }
  >;

  constructor(shapes: MessageShapes, n: number) {
    this.#kinds = new Map(
      Object.entries(shapes).map(([type, fields]) => [
        type,
        {
          fields: Object.keys(fields),
          checks: Object.values(fields).map((shape) => shapeCheck(shape, n)),
        },
      ]),
    );
  }

  /** Whether the message has exactly the declared fields, with values as declared. It must be a plain object. */
  accepts(message: Message): boolean {
    const kind = this.#kinds.get(message.type);
    if (kind === undefined) return false;
    const { fields, checks } = kind;
    let count = 0;
    for (const _ in message) count += 1;
    if (count !== fields.length + 1) return false;
    for (let k = 0; k < fields.length; k += 1)
      if (!Object.hasOwn(message, fields[k]!) || !checks[k]!(message[fields[k] as never])) return false;
    return true;
  }
}
