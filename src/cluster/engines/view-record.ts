// A view as text, the form in which every engine stores it.
import type { Peer, View } from '../../member/index.ts';

export const format = 1;

const idShape = /^[\w-]{1,64}$/; // ids are used in names of files and keys

/** The result of parsing a record. */
export type ParsedRecord =
  | { readonly is: 'view'; readonly view: View; readonly boot: string }
  | { readonly is: 'of another version' }
  | { readonly is: 'damaged' };

export const serializeView = (view: View, boot = ''): string => JSON.stringify({ format, boot, ...view });

export function parseRecord(text: string): ParsedRecord {
  try {
    const { format: found, boot, epoch, algorithm, members } = JSON.parse(text);
    if (Number.isSafeInteger(found) && found > format) return { is: 'of another version' };
    const isView =
      found === format &&
      Number.isSafeInteger(epoch) &&
      [algorithm, boot].every((field) => typeof field === 'string') &&
      members.every(isPeer);
    return isView ? { is: 'view', view: { epoch, algorithm, members }, boot } : { is: 'damaged' };
  } catch {
    return { is: 'damaged' };
  }
}

const isPeer = ({ id, address, label, priority }: Readonly<Record<keyof Peer, unknown>>): boolean =>
  isMemberId(id) && [address, label].every((field) => typeof field === 'string') && Number.isFinite(priority);

export const isMemberId = (id: unknown): id is string => typeof id === 'string' && idShape.test(id);

const epochOrigin = Date.UTC(2026, 0, 1);

/**
 * Returns the lowest epoch for a view created at this time, in eighths of a second since 2026. Groups change their view less often, so
 * epochs increase even if the stored view is lost or replaced by an older one. They last for 34 years.
 */
export const epochAt = (wallMs: number): number => Math.max(0, Math.floor((wallMs - epochOrigin) / 125));
