// The frames on a connection. A frame is encoded as an array: its code, then its fields in the order of the table.
import { type ClockRateBounds, lastEpoch, type PeerClockReading } from '../../../member/index.ts';
import type { Frame, PeerClockReport } from '../transport.ts';
import { type FieldCheck, isBoolean, isCount, isName } from './field-checks.ts';
import { decodeBody } from './msgpack.ts';

type FieldChecks<T> = { readonly [K in Exclude<keyof T, 'type'>]: FieldCheck };

const isEpoch: FieldCheck = (value) => isCount(value) && (value as number) <= lastEpoch;
const isAnything: FieldCheck = () => true; // decoded values are plain data
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

/** Every kind of frame. The code of a kind is its position here, so new kinds go at the end. */
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
  readonly kindCount: number; // kinds with a lower code exist in this version
  readonly omittedFields: Readonly<Record<string, unknown>>; // kinds whose last field this version omits, and the value to assume
}

/** Returns null if the version has no such kind. */
function packFrame(frame: Frame, { kindCount, omittedFields }: FormatSpec): unknown[] | null {
  if (frame.type === 'run') {
    const { epoch, lock, algorithm, entry, as, stamp, message } = frame;
    return [0, epoch, lock, algorithm, entry, as, stamp, message];
  }
  const { code, keys } = kindOf.get(frame.type)!;
  if (code >= kindCount) return null;
  const fields = frame as unknown as Readonly<Record<string, unknown>>;
  const values = [code, ...keys.map((key) => fields[key])];
  if (frame.type in omittedFields) values.pop();
  return values;
}

/** Returns null if the body is not a frame of a known shape. */
function unpackFrame(body: Uint8Array, { kindCount, omittedFields }: FormatSpec): Frame | null {
  const values = decodeBody(body);
  if (!Array.isArray(values) || typeof values[0] !== 'number') return null;
  if (values[0] === 0) return unpackRunFrame(values);
  const kind = values[0] < kindCount ? kinds[values[0]] : undefined;
  if (kind !== undefined && kind.type in omittedFields) values.push(omittedFields[kind.type]);
  if (kind === undefined || values.length !== kind.checks.length + 1) return null;
  for (let i = 0; i < kind.checks.length; i += 1) if (!kind.checks[i]!(values[i + 1])) return null;
  const frame: Record<string, unknown> = { type: kind.type };
  kind.keys.forEach((key, i) => {
    frame[key] = values[i + 1];
  });
  return frame as unknown as Frame;
}

/** Written out for speed: these frames carry the messages of lock algorithms. */
function unpackRunFrame(values: readonly unknown[]): Frame | null {
  const { run } = shapes;
  const [, epoch, lock, algorithm, entry, as, stamp, message] = values;
  const isValid =
    values.length === 8 &&
    run.epoch(epoch) &&
    run.lock(lock) &&
    run.algorithm(algorithm) &&
    run.entry(entry) &&
    run.as(as) &&
    run.stamp(stamp) &&
    run.message(message);
  const frame = { type: 'run', epoch, lock, algorithm, entry, as, stamp, message };
  return isValid ? (frame as Frame) : null;
}

export interface FrameFormat {
  pack(frame: Frame): unknown; // null: this version has no such kind, and nothing is sent
  unpack(body: Uint8Array): Frame | null;
}

/** By version, without gaps. */
export type FrameFormats = ReadonlyMap<number, FrameFormat>;

/** The formats of all supported versions. Remove an old version when no member depends on it. */
export const frameFormats: FrameFormats = new Map([
  [1, formatOf({ kindCount: 17, omittedFields: { answer: [], pong: null } })],
  [2, formatOf({ kindCount: 20, omittedFields: {} })], // with clocks and snapshots
  [3, formatOf({ kindCount: kinds.length, omittedFields: {} })], // with hints
]);

function formatOf(spec: FormatSpec): FrameFormat {
  return { pack: (frame) => packFrame(frame, spec), unpack: (body) => unpackFrame(body, spec) };
}
