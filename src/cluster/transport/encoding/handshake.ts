// The hello of a connection, its answer, and acknowledgements.
import type { MemberId } from '../../../member/index.ts';
import { isBoolean, isCount, isName } from './field-checks.ts';
import type { FrameFormats } from './frame-formats.ts';
import { decodeBody } from './msgpack.ts';

/** The versions that somebody speaks: these and all between them. */
export interface Versions {
  readonly lowest: number;
  readonly highest: number;
}

/** The first thing on every connection. Its shape and that of the answer are the same in every version; what follows is said in the highest common one. */
export interface Hello extends Versions {
  readonly group: string;
  readonly from: MemberId;
  readonly to: MemberId; // whom the opener means to reach
  readonly session: number; // what is said in it is acknowledged, and can go on over another connection; 0: none
  readonly isResumed: boolean; // it has been answered before
}

export interface HelloAnswer extends Versions {
  readonly by: MemberId;
  /** How many bytes of the session have come; null: nothing more is wanted, or the session is not known any more. */
  readonly offset: number | null;
}

export const versionsOf = (known: FrameFormats): Versions => ({
  lowest: Math.min(...known.keys()),
  highest: Math.max(...known.keys()),
});

/** The highest that both speak. */
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
];

export function unpackHello(body: Uint8Array): Hello | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || said.length < 8 || said[0] !== protocolName) return null;
  const [, lowest, highest, group, from, to, session, isResumed] = said;
  if (![lowest, highest, session].every(isCount) || ![group, from, to].every(isName)) return null;
  return isBoolean(isResumed) ? { lowest, highest, group, from, to, session, isResumed } : null;
}

export const packHelloAnswer = ({ lowest, highest, by, offset }: HelloAnswer): unknown[] => [
  protocolName,
  lowest,
  highest,
  by,
  offset,
];

export function unpackHelloAnswer(body: Uint8Array): HelloAnswer | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || said.length < 5 || said[0] !== protocolName) return null;
  const [, lowest, highest, by, place] = said;
  if (![lowest, highest].every(isCount) || !isName(by)) return null;
  return place === null || isCount(place) ? { lowest, highest, by, offset: place } : null;
}

/** How many bytes of a session have come. */
export function unpackOffset(body: Uint8Array): number | null {
  const place = decodeBody(body);
  return isCount(place) ? (place as number) : null;
}
