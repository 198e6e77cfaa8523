// A view as text, the form in which every engine stores it.
import { setTimeout as pause } from 'node:timers/promises';
import { isVisibleText, visibleText } from '../../core/visible-text.ts';
import { lastEpoch, mostMembers, type Peer, type View } from '../../member/index.ts';
import { BatonError } from '../errors.ts';

export const format = 2;

const idShape = /^[\w-]{1,64}$/; // ids are used in names of files and keys
const epochsPerSecond = 64;
const oldFormat = { number: 1, epochsPerSecond: 8, lastEpoch: 2 ** 33 - 1 };

/** The result of parsing a record. */
export type ParsedRecord =
  | { readonly is: 'view'; readonly view: View; readonly boot: string }
  /** By processes whose epochs count slower. A view of this version begins above `epoch`. */
  | { readonly is: 'of format 1'; readonly view: View; readonly boot: string }
  | { readonly is: 'of another version' }
  | { readonly is: 'damaged' };

export const serializeView = (view: View, boot = ''): string => JSON.stringify({ format, boot, ...view });

export function parseRecord(text: string): ParsedRecord {
  try {
    const { format: found, boot, epoch, algorithm, members, after } = JSON.parse(text);
    if (Number.isSafeInteger(found) && found > format) return { is: 'of another version' };
    const isOld = found === oldFormat.number;
    const isView =
      (isOld || found === format) &&
      isNumberOf(epoch, isOld ? oldFormat.lastEpoch : lastEpoch) &&
      [algorithm, boot].every((field) => isLine(field, longestLine)) &&
      areMembers(members) &&
      (after === undefined || isNumberOf(after, lastEpoch));
    if (!isView) return { is: 'damaged' };
    const replaced = after === undefined ? {} : { after };
    if (!isOld) return { is: 'view', view: { epoch, algorithm, members, ...replaced }, boot };
    const scale = epochsPerSecond / oldFormat.epochsPerSecond;
    return { is: 'of format 1', view: { epoch: scale * epoch + scale - 1, algorithm, members }, boot };
  } catch {
    return { is: 'damaged' };
  }
}

const longestLine = 1000;
const longestLabel = 300;

/** Returns the label of a process: short, and without characters that a terminal would obey. */
export const labelOf = (host: string, process: number): string =>
  `${visibleText(host).slice(0, longestLabel - 20)}:${process}`;

const isLine = (value: unknown, longest: number): boolean =>
  typeof value === 'string' && value.length <= longest && isVisibleText(value);

const areMembers = (members: readonly Peer[]): boolean =>
  members.length <= mostMembers &&
  members.every(isPeer) &&
  new Set(members.map(({ id }) => id)).size === members.length;

const isNumberOf = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

const isPeer = (peer: Readonly<Partial<Record<keyof Peer, unknown>>>): boolean => {
  const { id, address, label, priority, speaks = 0, isSilent = false } = peer;
  const isKnown = isNumberOf(speaks, Number.MAX_SAFE_INTEGER) && typeof isSilent === 'boolean';
  const isShown = isLine(address, longestLine) && isLine(label, longestLabel);
  return isMemberId(id) && isShown && Number.isFinite(priority) && isKnown;
};

export const isMemberId = (id: unknown): id is string => typeof id === 'string' && idShape.test(id);

const epochOrigin = Date.UTC(2026, 0, 1);

export const epochMs = 1000 / epochsPerSecond;

/**
 * Returns the epoch that begins at this time, in 64ths of a second since 2026. A view waits for the time of its epoch before it is
 * created. So epochs increase even if the stored view is lost or replaced by an older one. They last for 34 years.
 */
export const epochAt = (wallMs: number): number =>
  Math.max(0, Math.floor(((wallMs - epochOrigin) * epochsPerSecond) / 1000));

/** Returns the time at which an epoch begins. */
export const startOfEpoch = (epoch: number): number => epochOrigin + epoch * epochMs;

/** Waits until an epoch begins by this clock, but not longer than an epoch lasts: a clock that was set back blocks nobody. */
export async function clockReaches(epoch: number, now: () => number): Promise<void> {
  const deadline = performance.now() + epochMs + 1; // the wall clock shows whole milliseconds
  for (;;) {
    const leftMs = Math.min(startOfEpoch(epoch) - now(), deadline - performance.now());
    if (leftMs <= 0) return;
    await pause(Math.ceil(leftMs));
  }
}

export const oldMembers = (group: string): BatonError =>
  new BatonError(
    'input',
    `group '${group}' has members with an older version of batonjs, which cannot take part together: end them, or upgrade them all`,
  );
