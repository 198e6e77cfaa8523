// What may be said on a connection, and how: an array of a code and the fields in the order of the table.
import { lastEpoch, type MemberId, type Rate, type Reading } from '../../member/index.ts';
import type { ClockReport, Frame } from './transport.ts';
import { decodeBody } from './wire.ts';

/** Of locks, elections, algorithms and groups, in UTF-16 units. */
export const longestName = 1000;

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

export interface Answer extends Versions {
  readonly by: MemberId;
  /** How many bytes of the session have come; null: nothing more is wanted, or the session is not known any more. */
  readonly place: number | null;
}

type Check = (value: unknown) => boolean;
type Fields<T> = { readonly [K in Exclude<keyof T, 'type'>]: Check };

const isTrueOrFalse: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isEpoch: Check = (value) => isCount(value) && (value as number) <= lastEpoch;
const isName: Check = (value) => typeof value === 'string' && value.length <= longestName;
const isAnything: Check = () => true; // plain, as all that is decoded
const isStamp: Check = (value) => value === null || (Array.isArray(value) && value.every(isCount));
const isTime: Check = (value) => Number.isFinite(value);
const isMessage: Check = (value) => isRecord(value) && isName(value.type);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf =
  <T>(fields: Fields<T>): Check =>
  (value) =>
    isRecord(value) && hasExactly(fields, value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  <T>(fields: Fields<T>): Check =>
  (value) =>
    Array.isArray(value) && value.every(recordOf(fields));

function hasExactly(fields: Readonly<Record<string, Check>>, item: Record<string, unknown>): boolean {
  const keys = Object.keys(item);
  return keys.length === Object.keys(fields).length && keys.every((key) => fields[key]?.(item[key]) ?? false);
}

const held = { lock: isName, algorithm: isName, fence: isCount };
const reading = recordOf<Reading>({ heard: isTime, wall: isTime, said: isTime });
const clock = {
  id: isName,
  offset: isTime,
  error: isTime,
  rate: orNull(recordOf<Rate>({ low: isTime, high: isTime })),
  age: isTime,
};
type PartOf<K extends 'locks' | 'tokens'> = (Frame & { type: 'part' })[K][number];
type HeldBy<T extends Frame['type']> = Frame & { type: T } extends { held: readonly (infer H)[] } ? H : never;

/** Every kind of frame. A kind's code is its place here: new ones are added at the end. */
const shapes: { readonly [T in Frame['type']]: Fields<Frame & { type: T }> } = {
  run: {
    epoch: isEpoch,
    lock: isName,
    algorithm: orNull(isName),
    entry: isCount,
    as: isCount,
    stamp: isStamp,
    message: isMessage,
  },
  flush: { epoch: isEpoch, held: listOf<HeldBy<'flush'>>(held) },
  install: { epoch: isEpoch, held: listOf<HeldBy<'install'>>({ ...held, by: isCount }) },
  open: { epoch: isEpoch, lock: isName },
  begin: { epoch: isEpoch, lock: isName, algorithm: isName },
  refresh: { epoch: isEpoch },
  view: { epoch: isEpoch },
  conflict: { lock: isName, algorithm: isName },
  probe: { lock: isName, attempt: isCount },
  busy: { lock: isName, attempt: isCount },
  leads: { election: isName, term: isCount, ends: isTrueOrFalse },
  ask: { question: isCount, address: isName },
  answer: { question: isCount, report: isAnything, clocks: listOf<ClockReport>(clock) },
  agree: { epoch: isEpoch, lock: isName },
  hail: { isAnswer: isTrueOrFalse },
  ping: { question: isCount, address: isName },
  pong: { question: isCount, clocks: orNull(reading) },
  marker: { epoch: isEpoch, by: isCount, number: isCount },
  part: {
    epoch: isEpoch,
    number: isCount,
    locks: listOf<PartOf<'locks'>>({
      lock: isName,
      algorithm: isName,
      root: isCount,
      isHeld: isTrueOrFalse,
      hasToken: isTrueOrFalse,
      waiting: isCount,
    }),
    tokens: listOf<PartOf<'tokens'>>({ lock: isName, algorithm: isName, from: isCount, to: isCount }),
  },
  snapshot: { question: isCount, address: isName },
  soon: {},
};

const kinds = Object.entries(shapes).map(([type, fields], code) => ({
  type,
  code,
  keys: Object.keys(fields),
  checks: Object.values(fields) as Check[],
}));
const kindOf = new Map(kinds.map((kind) => [kind.type, kind]));

interface Vocabulary {
  readonly kinds: number; // how many of them there are
  readonly unsaid: Readonly<Record<string, unknown>>; // the last field of these kinds is not said; this stands for it
}

/** Null if there is no word for it. */
function packed(frame: Frame, { kinds: count, unsaid }: Vocabulary): unknown[] | null {
  if (frame.type === 'run') {
    const { epoch, lock, algorithm, entry, as, stamp, message } = frame;
    return [0, epoch, lock, algorithm, entry, as, stamp, message];
  }
  const { code, keys } = kindOf.get(frame.type)!;
  if (code >= count) return null;
  const fields = frame as unknown as Readonly<Record<string, unknown>>;
  const said = [code, ...keys.map((key) => fields[key])];
  if (frame.type in unsaid) said.pop();
  return said;
}

/** Null if it is not a frame of a shape we know. */
function unpacked(body: Uint8Array, { kinds: count, unsaid }: Vocabulary): Frame | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || typeof said[0] !== 'number') return null;
  if (said[0] === 0) return unpackedRun(said);
  const kind = said[0] < count ? kinds[said[0]] : undefined;
  if (kind !== undefined && kind.type in unsaid) said.push(unsaid[kind.type]);
  if (kind === undefined || said.length !== kind.checks.length + 1) return null;
  for (let i = 0; i < kind.checks.length; i += 1) if (!kind.checks[i]!(said[i + 1])) return null;
  const frame: Record<string, unknown> = { type: kind.type };
  kind.keys.forEach((key, i) => {
    frame[key] = said[i + 1];
  });
  return frame as unknown as Frame;
}

/** Written out, since locks are handed on by these. */
function unpackedRun(said: readonly unknown[]): Frame | null {
  const { run } = shapes;
  const [, epoch, lock, algorithm, entry, as, stamp, message] = said;
  const isSound =
    said.length === 8 &&
    run.epoch(epoch) &&
    run.lock(lock) &&
    run.algorithm(algorithm) &&
    run.entry(entry) &&
    run.as(as) &&
    run.stamp(stamp) &&
    run.message(message);
  const frame = { type: 'run', epoch, lock, algorithm, entry, as, stamp, message };
  return isSound ? (frame as Frame) : null;
}

export interface Format {
  pack(frame: Frame): unknown; // null: there is no such kind in this version, and nothing is said
  unpack(body: Uint8Array): Frame | null;
}

/** By version, without gaps. */
export type Formats = ReadonlyMap<number, Format>;

/** How frames are said. A new version is a line more; an old one goes when nobody speaks only that any more. */
export const formats: Formats = new Map([
  [1, formatOf({ kinds: 17, unsaid: { answer: [], pong: null } })],
  [2, formatOf({ kinds: 20, unsaid: {} })], // with clocks and snapshots
  [3, formatOf({ kinds: kinds.length, unsaid: {} })], // with hints
]);

function formatOf(vocabulary: Vocabulary): Format {
  return { pack: (frame) => packed(frame, vocabulary), unpack: (body) => unpacked(body, vocabulary) };
}

export const versionsOf = (known: Formats): Versions => ({
  lowest: Math.min(...known.keys()),
  highest: Math.max(...known.keys()),
});

/** The highest that both speak. */
export function commonVersion(a: Versions, b: Versions): number | null {
  const version = Math.min(a.highest, b.highest);
  return version >= Math.max(a.lowest, b.lowest) ? version : null;
}

const greeting = 'baton';

export const packedHello = (hello: Hello): unknown[] => [
  greeting,
  hello.lowest,
  hello.highest,
  hello.group,
  hello.from,
  hello.to,
  hello.session,
  hello.isResumed,
];

export function unpackedHello(body: Uint8Array): Hello | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || said.length < 8 || said[0] !== greeting) return null;
  const [, lowest, highest, group, from, to, session, isResumed] = said;
  if (![lowest, highest, session].every(isCount) || ![group, from, to].every(isName)) return null;
  return isTrueOrFalse(isResumed) ? { lowest, highest, group, from, to, session, isResumed } : null;
}

export const packedAnswer = ({ lowest, highest, by, place }: Answer): unknown[] => [
  greeting,
  lowest,
  highest,
  by,
  place,
];

export function unpackedAnswer(body: Uint8Array): Answer | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || said.length < 5 || said[0] !== greeting) return null;
  const [, lowest, highest, by, place] = said;
  if (![lowest, highest].every(isCount) || !isName(by)) return null;
  return place === null || isCount(place) ? { lowest, highest, by, place } : null;
}

/** How many bytes of a session have come. */
export function unpackedPlace(body: Uint8Array): number | null {
  const place = decodeBody(body);
  return isCount(place) ? (place as number) : null;
}
