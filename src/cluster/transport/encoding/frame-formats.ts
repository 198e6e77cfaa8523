// The frames on a connection. A frame is encoded as an array: its code, then its fields in the order of the table.
import {
  type ClockRateBounds,
  type FlushedLock,
  type FlushedToken,
  type IdleLock,
  lastEpoch,
  mostMembers,
  type PeerClockReading,
  type RecordedLock,
  type ReportedLock,
  type RoundCandidate,
  type TokenInTransit,
} from '../../../member/index.ts';
import type { Frame, PeerClockReport } from '../transport.ts';
import { type FieldCheck, isBoolean, isCount, isName } from './field-checks.ts';
import { decodeBody } from './msgpack.ts';

type FieldChecks<T> = { readonly [K in Exclude<keyof T, 'type'>]: FieldCheck };

const isPosition: FieldCheck = (value) => isCount(value) && (value as number) < mostMembers;
const arePositions: FieldCheck = (value) =>
  Array.isArray(value) && value.length <= mostMembers && value.every(isPosition);
const isText: FieldCheck = (value) => typeof value === 'string';
const isEpoch: FieldCheck = (value) => isCount(value) && (value as number) <= lastEpoch;
const isAnything: FieldCheck = () => true; // decoded values are plain data
const isStamp: FieldCheck = (value) => value === null || (Array.isArray(value) && value.every(isCount));
const isTime: FieldCheck = (value) => Number.isFinite(value);
const isReading: FieldCheck = (value) => isTime(value) && Math.abs(value as number) <= 2 ** 53; // so that sums stay finite
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
  return (
    keys.length === Object.keys(fields).length &&
    keys.every((key) => Object.hasOwn(fields, key) && fields[key]!(item[key]))
  );
}

const held = { lock: isName, algorithm: isName, fence: isCount };
const flush = { epoch: isEpoch, held: listOf<HeldField<'flush'>>(held) };
const install = { epoch: isEpoch, held: listOf<HeldField<'install'>>({ ...held, by: isPosition }) };
const reading = recordOf<PeerClockReading>({ heard: isReading, wall: isReading, said: isReading });
const clock = {
  id: isName,
  offset: isTime,
  error: isTime,
  rate: orNull(recordOf<ClockRateBounds>({ low: isTime, high: isTime })),
  age: isTime,
};
const part = {
  epoch: isEpoch,
  number: isCount,
  locks: listOf<FlushedLock>({
    lock: isName,
    algorithm: isName,
    root: isPosition,
    isHeld: isBoolean,
    hasToken: isBoolean,
    waiting: isCount,
  }),
  tokens: listOf<FlushedToken>({
    lock: isName,
    algorithm: isName,
    from: isPosition,
    to: isPosition,
  }),
};
const idleLock = { lock: isName, run: isCount, last: orNull(isCount), closes: isCount };
const recorded = {
  epoch: isEpoch,
  number: isCount,
  locks: listOf<RecordedLock>({
    lock: isName,
    algorithm: isName,
    run: isCount,
    size: isCount,
    isHeld: isBoolean,
    hasToken: isBoolean,
    waiting: isCount,
  }),
  tokens: listOf<TokenInTransit>({ lock: isName, run: isCount, from: isPosition, to: isPosition }),
};
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
    as: isPosition,
    stamp: isStamp,
    message: isMessage,
  },
  flush,
  install,
  open: { epoch: isEpoch, lock: isName },
  begin: { epoch: isEpoch, lock: isName, algorithm: isName },
  refresh: { epoch: isEpoch },
  view: { epoch: isEpoch },
  conflict: { lock: isName, algorithm: isName },
  probe: { lock: isName, attempt: isCount },
  busy: { lock: isName, attempt: isCount },
  leads: { election: isName, term: isCount, ends: isBoolean },
  ask: { question: isCount },
  answer: { question: isCount, report: isAnything, clocks: listOf<PeerClockReport>(clock) },
  agree: { epoch: isEpoch, lock: isName },
  hail: { isAnswer: isBoolean },
  ping: { question: isCount },
  pong: { question: isCount, clocks: orNull(reading) },
  marker: { epoch: isEpoch, by: isPosition, number: isCount },
  part,
  snapshot: { question: isCount },
  soon: {},
  reach: { question: isCount, address: isName },
  'flush-piece': flush,
  'install-piece': install,
  'part-piece': part,
  'answer-piece': { question: isCount, text: isText },
  stand: { epoch: isEpoch, election: isName, algorithm: isName, number: isCount },
  withdraw: { epoch: isEpoch, election: isName, number: isCount },
  elected: { epoch: isEpoch, election: isName, round: isCount },
  round: {
    epoch: isEpoch,
    election: isName,
    algorithm: orNull(isName),
    round: isCount,
    candidates: listOf<RoundCandidate>({ by: isPosition, number: isCount }),
  },
  'stand-refused': { epoch: isEpoch, election: isName, number: isCount, algorithm: orNull(isName) },
  elect: { epoch: isEpoch, election: isName, round: isCount, as: isPosition, message: isMessage },
  step: {
    run: isCount,
    lock: isName,
    entry: isCount,
    as: isPosition,
    stamp: isStamp,
    message: isMessage,
  },
  want: { epoch: isEpoch, lock: isName, algorithm: isName, over: isCount, isWaiting: isBoolean },
  stop: { run: isCount, lock: isName },
  stopped: {
    run: isCount,
    lock: isName,
    algorithm: orNull(isName),
    claim: (value) => value === 'none' || value === 'token' || value === 'lock',
    closes: isCount,
    last: isCount,
    isWaiting: isBoolean,
    isUsing: isBoolean,
  },
  start: {
    run: isCount,
    lock: isName,
    algorithm: orNull(isName),
    members: arePositions,
    unanswered: arePositions,
    root: isPosition,
    isHeld: isBoolean,
    last: isCount,
  },
  opened: { run: isCount, lock: isName },
  over: { run: isCount, lock: isName },
  gap: {},
  sync: { epoch: isEpoch, slots: arePositions },
  report: {
    epoch: isEpoch,
    slots: arePositions,
    locks: listOf<ReportedLock>({ lock: isName, parts: arePositions, latest: isCount }),
    isLast: isBoolean,
  },
  idle: { epoch: isEpoch, locks: listOf<IdleLock>(idleLock) },
  noted: { epoch: isEpoch, locks: (value) => Array.isArray(value) && value.every(isName) },
  recorded,
  'recorded-piece': recorded,
  poll: { epoch: isEpoch },
  polled: { epoch: isEpoch },
};

const codeOf = (type: Frame['type']): number => Object.keys(shapes).indexOf(type);
const firstKindOfVersion5 = codeOf('stand');
const firstKindOfVersion6 = codeOf('step');

const kinds = Object.entries(shapes).map(([type, fields], code) => ({
  type,
  code,
  keys: Object.keys(fields),
  checks: Object.values(fields) as FieldCheck[],
}));
const kindOf = new Map(kinds.map((kind) => [kind.type, kind]));

/** An older version has only the kinds before this one. What it has is the same in all versions. */
const before = (firstUnknown: number): FrameFormat => ({
  pack: (frame) => (kindOf.get(frame.type)!.code < firstUnknown ? packFrame(frame) : null),
  unpack(body) {
    const frame = unpackFrame(body);
    return frame !== null && kindOf.get(frame.type)!.code < firstUnknown ? frame : null;
  },
});

function packFrame(frame: Frame): unknown[] {
  if (frame.type === 'step') {
    const { run, lock, entry, as, stamp, message } = frame;
    return [firstKindOfVersion6, run, lock, entry, as, stamp, message];
  }
  if (frame.type === 'run') {
    const { epoch, lock, algorithm, entry, as, stamp, message } = frame;
    return [0, epoch, lock, algorithm, entry, as, stamp, message];
  }
  const { code, keys } = kindOf.get(frame.type)!;
  const fields = frame as unknown as Readonly<Record<string, unknown>>;
  return [code, ...keys.map((key) => fields[key])];
}

/** Returns null if the body is not a frame of a known shape. */
function unpackFrame(body: Uint8Array): Frame | null {
  const values = decodeBody(body);
  if (!Array.isArray(values) || typeof values[0] !== 'number') return null;
  if (values[0] === firstKindOfVersion6) return unpackStepFrame(values);
  if (values[0] === 0) return unpackRunFrame(values);
  const kind = kinds[values[0]];
  if (kind === undefined || values.length !== kind.checks.length + 1) return null;
  for (let i = 0; i < kind.checks.length; i += 1) if (!kind.checks[i]!(values[i + 1])) return null;
  const frame: Record<string, unknown> = { type: kind.type };
  kind.keys.forEach((key, i) => {
    frame[key] = values[i + 1];
  });
  return frame as unknown as Frame;
}

// Written out for speed: these frames carry the messages of lock algorithms.

function unpackStepFrame(values: readonly unknown[]): Frame | null {
  const { step } = shapes;
  const [, run, lock, entry, as, stamp, message] = values;
  const isValid =
    values.length === 7 &&
    step.run(run) &&
    step.lock(lock) &&
    step.entry(entry) &&
    step.as(as) &&
    step.stamp(stamp) &&
    step.message(message);
  const frame = { type: 'step', run, lock, entry, as, stamp, message };
  return isValid ? (frame as Frame) : null;
}

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
  [4, before(firstKindOfVersion5)],
  [5, before(firstKindOfVersion6)],
  [6, { pack: packFrame, unpack: unpackFrame }],
]);
