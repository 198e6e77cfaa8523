// What may be said on a connection, and how: an array of a code and the fields in the order of the table.
import { type ClockRateBounds, lastEpoch, type PeerClockReading } from '../../../member/index.ts';
import type { Frame, PeerClockReport } from '../transport.ts';
import { type FieldCheck, isBoolean, isCount, isName } from './field-checks.ts';
import { decodeBody } from './msgpack.ts';

type FieldChecks<T> = { readonly [K in Exclude<keyof T, 'type'>]: FieldCheck };

const isEpoch: FieldCheck = (value) => isCount(value) && (value as number) <= lastEpoch;
const isAnything: FieldCheck = () => true; // plain, as all that is decoded
const isStamp: FieldCheck = (value) => value === null || (Array.isArray(value) && value.every(isCount));
const isTime: FieldCheck = (value) => Number.isFinite(value);
const isMessage: FieldCheck = (value) => isRecord(value) && isName(value.type);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf =
  <T>(fields: FieldChecks<T>): FieldCheck =>
  (value) =>
    isRecord(value) && hasExactly(fields, value);
const orNull =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === null || check(value);
const listOf =
  <T>(fields: FieldChecks<T>): FieldCheck =>
  (value) =>
    Array.isArray(value) && value.every(recordOf(fields));

function hasExactly(fields: Readonly<Record<string, FieldCheck>>, item: Record<string, unknown>): boolean {
  const keys = Object.keys(item);
  return keys.length === Object.keys(fields).length && keys.every((key) => fields[key]?.(item[key]) ?? false);
}

const held = { lock: isName, algorithm: isName, fence: isCount };
const reading = recordOf<PeerClockReading>({ heard: isTime, wall: isTime, said: isTime });
const clock = {
  id: isName,
  offset: isTime,
  error: isTime,
  rate: orNull(recordOf<ClockRateBounds>({ low: isTime, high: isTime })),
  age: isTime,
};
type SnapshotPartField<K extends 'locks' | 'tokens'> = (Frame & { type: 'part' })[K][number];
type HeldField<T extends Frame['type']> = Frame & { type: T } extends { held: readonly (infer H)[] }
  ? H
  : never;

/** Every kind of frame. A kind's code is its place here: new ones are added at the end. */
const shapes: { readonly [T in Frame['type']]: FieldChecks<Frame & { type: T }> } = {
  run: {
    epoch: isEpoch,
    lock: isName,
    algorithm: orNull(isName),
    entry: isCount,
    as: isCount,
    stamp: isStamp,
    message: isMessage,
  },
  flush: { epoch: isEpoch, held: listOf<HeldField<'flush'>>(held) },
  install: { epoch: isEpoch, held: listOf<HeldField<'install'>>({ ...held, by: isCount }) },
  open: { epoch: isEpoch, lock: isName },
  begin: { epoch: isEpoch, lock: isName, algorithm: isName },
  refresh: { epoch: isEpoch },
  view: { epoch: isEpoch },
  conflict: { lock: isName, algorithm: isName },
  probe: { lock: isName, attempt: isCount },
  busy: { lock: isName, attempt: isCount },
  leads: { election: isName, term: isCount, ends: isBoolean },
  ask: { question: isCount, address: isName },
  answer: { question: isCount, report: isAnything, clocks: listOf<PeerClockReport>(clock) },
  agree: { epoch: isEpoch, lock: isName },
  hail: { isAnswer: isBoolean },
  ping: { question: isCount, address: isName },
  pong: { question: isCount, clocks: orNull(reading) },
  marker: { epoch: isEpoch, by: isCount, number: isCount },
  part: {
    epoch: isEpoch,
    number: isCount,
    locks: listOf<SnapshotPartField<'locks'>>({
      lock: isName,
      algorithm: isName,
      root: isCount,
      isHeld: isBoolean,
      hasToken: isBoolean,
      waiting: isCount,
    }),
    tokens: listOf<SnapshotPartField<'tokens'>>({
      lock: isName,
      algorithm: isName,
      from: isCount,
      to: isCount,
    }),
  },
  snapshot: { question: isCount, address: isName },
  soon: {},
};

const kinds = Object.entries(shapes).map(([type, fields], code) => ({
  type,
  code,
  keys: Object.keys(fields),
  checks: Object.values(fields) as FieldCheck[],
}));
const kindOf = new Map(kinds.map((kind) => [kind.type, kind]));

interface FormatSpec {
  readonly kindCount: number; // how many of them there are
  readonly omittedFields: Readonly<Record<string, unknown>>; // the last field of these kinds is not said; this stands for it
}

/** Null if there is no word for it. */
function packFrame(frame: Frame, { kindCount: count, omittedFields }: FormatSpec): unknown[] | null {
  if (frame.type === 'run') {
    const { epoch, lock, algorithm, entry, as, stamp, message } = frame;
    return [0, epoch, lock, algorithm, entry, as, stamp, message];
  }
  const { code, keys } = kindOf.get(frame.type)!;
  if (code >= count) return null;
  const fields = frame as unknown as Readonly<Record<string, unknown>>;
  const said = [code, ...keys.map((key) => fields[key])];
  if (frame.type in omittedFields) said.pop();
  return said;
}

/** Null if it is not a frame of a shape we know. */
function unpackFrame(body: Uint8Array, { kindCount: count, omittedFields }: FormatSpec): Frame | null {
  const said = decodeBody(body);
  if (!Array.isArray(said) || typeof said[0] !== 'number') return null;
  if (said[0] === 0) return unpackRunFrame(said);
  const kind = said[0] < count ? kinds[said[0]] : undefined;
  if (kind !== undefined && kind.type in omittedFields) said.push(omittedFields[kind.type]);
  if (kind === undefined || said.length !== kind.checks.length + 1) return null;
  for (let i = 0; i < kind.checks.length; i += 1) if (!kind.checks[i]!(said[i + 1])) return null;
  const frame: Record<string, unknown> = { type: kind.type };
  kind.keys.forEach((key, i) => {
    frame[key] = said[i + 1];
  });
  return frame as unknown as Frame;
}

/** Written out, since locks are handed on by these. */
function unpackRunFrame(said: readonly unknown[]): Frame | null {
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

export interface FrameFormat {
  pack(frame: Frame): unknown; // null: there is no such kind in this version, and nothing is said
  unpack(body: Uint8Array): Frame | null;
}

/** By version, without gaps. */
export type FrameFormats = ReadonlyMap<number, FrameFormat>;

/** How frames are said. A new version is a line more; an old one goes when nobody speaks only that any more. */
export const frameFormats: FrameFormats = new Map([
  [1, formatOf({ kindCount: 17, omittedFields: { answer: [], pong: null } })],
  [2, formatOf({ kindCount: 20, omittedFields: {} })], // with clocks and snapshots
  [3, formatOf({ kindCount: kinds.length, omittedFields: {} })], // with hints
]);

function formatOf(vocabulary: FormatSpec): FrameFormat {
  return { pack: (frame) => packFrame(frame, vocabulary), unpack: (body) => unpackFrame(body, vocabulary) };
}
