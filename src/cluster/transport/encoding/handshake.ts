// The hello of a connection, its answer, and acknowledgements.
import type { MemberId } from '../../../member/index.ts';
import { isBoolean, isCount, isName } from './field-checks.ts';
import type { FrameFormats } from './frame-formats.ts';
import { decodeBody } from './msgpack.ts';

/** A range of supported protocol versions. */
export interface Versions {
  readonly lowest: number;
  readonly highest: number;
}

/**
 * The first frame on every connection. The shapes of the hello and of its answer never change. All later frames use the highest version
 * that both sides support.
 */
export interface Hello extends Versions {
  readonly group: string;
  readonly from: MemberId;
  readonly to: MemberId; // the member that the sender expects to reach
  readonly session: number; // a session is acknowledged and can resume over another connection; 0: none
  readonly isResumed: boolean; // the session was answered before
  readonly ticket: string; // of the session, random: only its two ends know it, so no third member can resume it
}

export interface HelloAnswer extends Versions {
  readonly by: MemberId;
  /** The bytes of the session received so far; null: the connection is declined, or the session is unknown. */
  readonly offset: number | null;
}

export const versionsOf = (known: FrameFormats): Versions => ({
  lowest: Math.min(...known.keys()),
  highest: Math.max(...known.keys()),
});

/** Returns the highest version that both sides support; null if there is none. */
export function commonVersion(a: Versions, b: Versions): number | null {
  const version = Math.min(a.highest, b.highest);
  return version >= Math.max(a.lowest, b.lowest) ? version : null;
}

const protocolName = 'baton';

export const packHello = (hello: Hello): unknown[] => [
  protocolName,
  hello.lowest,
  hello.highest,
  hello.group,
  hello.from,
  hello.to,
  hello.session,
  hello.isResumed,
  hello.ticket,
];

export function unpackHello(body: Uint8Array): Hello | null {
  const values = decodeBody(body);
  if (!Array.isArray(values) || values.length < 9 || values[0] !== protocolName) return null;
  const [, lowest, highest, group, from, to, session, isResumed, ticket] = values;
  if (![lowest, highest, session].every(isCount) || ![group, from, to, ticket].every(isName)) return null;
  return isBoolean(isResumed) ? { lowest, highest, group, from, to, session, isResumed, ticket } : null;
}

export const packHelloAnswer = ({ lowest, highest, by, offset }: HelloAnswer): unknown[] => [
  protocolName,
  lowest,
  highest,
  by,
  offset,
];

export function unpackHelloAnswer(body: Uint8Array): HelloAnswer | null {
  const values = decodeBody(body);
  if (!Array.isArray(values) || values.length < 5 || values[0] !== protocolName) return null;
  const [, lowest, highest, by, offset] = values;
  if (![lowest, highest].every(isCount) || !isName(by)) return null;
  return offset === null || isCount(offset) ? { lowest, highest, by, offset } : null;
}

/** Decodes an acknowledgement: the bytes of the session received so far. */
export function unpackOffset(body: Uint8Array): number | null {
  const offset = decodeBody(body);
  return isCount(offset) ? (offset as number) : null;
}
