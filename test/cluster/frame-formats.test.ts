import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestName } from '../../src/cluster/transport/encoding/field-checks.ts';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import {
  FrameReader,
  FrameWriter,
  frameLimit,
  ReplayBuffer,
} from '../../src/cluster/transport/encoding/framing.ts';
import {
  packHello,
  packHelloAnswer,
  unpackHello,
  unpackHelloAnswer,
  unpackOffset,
  versionsOf,
} from '../../src/cluster/transport/encoding/handshake.ts';
import type { Frame } from '../../src/cluster/transport/transport.ts';
import { fenceOf, lastEpoch, mostMembers, protocolVersion } from '../../src/member/index.ts';

const { pack: packed, unpack: unpacked } = frameFormats.get(versionsOf(frameFormats).highest)!;

const name = fc.string({ unit: 'grapheme', maxLength: 40 });
const epoch = fc.integer({ min: 0, max: lastEpoch });
const count = fc.maxSafeNat();
const key = fc.string().filter((text) => text !== '__proto__');
const time = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (x === 0 ? 0 : x)); // msgpack has no -0
const reading = fc.double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53 }).map((x) => (x === 0 ? 0 : x));
const { plain } = fc.letrec((tie) => ({
  plain: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.constant(null),
    fc.maxSafeInteger(),
    time,
    fc.array(tie('plain')),
    fc.dictionary(key, tie('plain'), { noNullPrototype: true }),
  ),
}));
const message = fc
  .tuple(name, fc.dictionary(key, plain, { noNullPrototype: true }))
  .map(([type, fields]) => ({ ...fields, type }));
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { noNullPrototype: true });
const clock = record({
  id: name,
  offset: time,
  error: time,
  rate: fc.option(record({ low: time, high: time })),
  age: time,
});
const held = { lock: name, algorithm: name, fence: count };
const position = fc.nat({ max: mostMembers - 1 });
const flush = fc.record({ epoch, held: fc.array(record(held)) });
const install = fc.record({ epoch, held: fc.array(record({ ...held, by: position })) });
const part = fc.record({
  epoch,
  number: count,
  locks: fc.array(
    record({
      ...{ lock: name, algorithm: name, root: position },
      ...{ isHeld: fc.boolean(), hasToken: fc.boolean(), waiting: count },
    }),
  ),
  tokens: fc.array(record({ lock: name, algorithm: name, from: position, to: position })),
});

const positions = fc.array(position, { maxLength: 8 });
const recorded = fc.record({
  epoch,
  number: count,
  locks: fc.array(
    record({
      ...{ lock: name, algorithm: name, run: count, size: count },
      ...{ isHeld: fc.boolean(), hasToken: fc.boolean(), waiting: count },
    }),
  ),
  tokens: fc.array(record({ lock: name, run: count, from: position, to: position })),
});

const electionFrame = { epoch, election: name };
const lockOfRun = { run: count, lock: name };
const kinds: { [T in Frame['type']]: fc.Arbitrary<unknown> } = {
  run: fc.record({
    epoch,
    lock: name,
    algorithm: name,
    entry: count,
    as: position,
    stamp: fc.option(fc.array(count)),
    message,
  }),
  flush,
  install,
  'flush-piece': flush,
  'install-piece': install,
  'part-piece': part,
  'answer-piece': fc.record({ question: count, text: name }),
  open: fc.record({ epoch, lock: name }),
  begin: fc.record({ epoch, lock: name, algorithm: name }),
  agree: fc.record({ epoch, lock: name }),
  refresh: fc.record({ epoch }),
  view: fc.record({ epoch }),
  conflict: fc.record({ lock: name, algorithm: name }),
  probe: fc.record({ lock: name, attempt: count }),
  busy: fc.record({ lock: name, attempt: count }),
  leads: fc.record({ election: name, term: count, ends: fc.boolean() }),
  ask: fc.record({ question: count }),
  answer: fc.record({ question: count, report: plain, clocks: fc.array(clock) }),
  hail: fc.record({ isAnswer: fc.boolean() }),
  ping: fc.record({ question: count }),
  pong: fc.record({
    question: count,
    clocks: fc.option(record({ heard: reading, wall: reading, said: reading })),
  }),
  marker: fc.record({ epoch, by: position, number: count }),
  part,
  snapshot: fc.record({ question: count }),
  soon: fc.record({}),
  reach: fc.record({ question: count, address: name }),
  stand: fc.record({ ...electionFrame, algorithm: name, number: count }),
  withdraw: fc.record({ ...electionFrame, number: count }),
  elected: fc.record({ ...electionFrame, round: count }),
  round: fc.record({
    ...{ ...electionFrame, algorithm: fc.option(name), round: count },
    candidates: fc.array(record({ by: position, number: count })),
  }),
  'stand-refused': fc.record({ ...electionFrame, number: count, algorithm: fc.option(name) }),
  elect: fc.record({ ...electionFrame, round: count, as: position, message }),
  step: fc.record({
    ...{ ...lockOfRun, entry: count, as: position },
    stamp: fc.option(fc.array(count)),
    message,
  }),
  want: fc.record({ epoch, lock: name, algorithm: name, over: count, isWaiting: fc.boolean() }),
  stop: fc.record(lockOfRun),
  stopped: fc.record({
    ...{ ...lockOfRun, algorithm: fc.option(name), claim: fc.constantFrom('none', 'token', 'lock') },
    ...{ closes: count, last: count, isWaiting: fc.boolean(), isUsing: fc.boolean() },
  }),
  start: fc.record({
    ...{ ...lockOfRun, algorithm: fc.option(name), members: positions, unanswered: positions },
    ...{ root: position, isHeld: fc.boolean(), last: count },
  }),
  opened: fc.record(lockOfRun),
  over: fc.record(lockOfRun),
  gap: fc.record({}),
  sync: fc.record({ epoch, slots: positions }),
  report: fc.record({
    ...{ epoch, slots: positions, isLast: fc.boolean() },
    locks: fc.array(record({ lock: name, parts: positions, latest: count })),
  }),
  idle: fc.record({
    epoch,
    locks: fc.array(record({ lock: name, run: count, last: fc.option(count), closes: count })),
  }),
  noted: fc.record({ epoch, locks: fc.array(name) }),
  recorded,
  'recorded-piece': recorded,
  poll: fc.record({ epoch }),
  polled: fc.record({ epoch }),
};
const frame = fc.oneof(
  ...Object.entries(kinds).map(([type, fields]) =>
    fields.map((rest) => ({ type, ...(rest as object) }) as unknown as Frame),
  ),
);

function bytesOf(...bodies: readonly unknown[]): Buffer {
  const writer = new FrameWriter();
  for (const body of bodies) writer.add(body);
  return writer.take();
}

/** Splits the bytes at these offsets, and returns every body. */
function bodiesIn(bytes: Buffer, cuts: readonly number[]): { bodies: Buffer[]; isSound: boolean } {
  const inbox = new FrameReader();
  const bodies: Buffer[] = [];
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  const isSound = places.every((offset, i) =>
    inbox.add(bytes.subarray(places[i - 1] ?? 0, offset), (body) => bodies.push(Buffer.from(body)) > 0),
  );
  return { bodies, isSound };
}

describe('frames', () => {
  test('survive a round trip, however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (frames, cuts) => {
          const { bodies } = bodiesIn(bytesOf(...frames.map(packed)), cuts);
          expect(bodies.map(unpacked)).toEqual(frames);
        },
      ),
    );
  });

  test('survive a stream of single bytes', () => {
    const frames: Frame[] = [
      { type: 'view', epoch: 7 },
      { type: 'answer', question: 1, report: 'x'.repeat(70_000), clocks: [] },
      { type: 'probe', lock: 'a', attempt: 3 },
    ];
    const bytes = bytesOf(...frames.map(packed));
    const everywhere = Array.from(bytes, (_, i) => i);
    expect(bodiesIn(bytes, everywhere).bodies.map(unpacked)).toEqual(frames);
  });

  test('of arbitrary bytes are refused or decoded, and never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        unpacked(bytes);
        unpackHello(bytes);
        unpackHelloAnswer(bytes);
        unpackOffset(bytes);
      }),
      { numRuns: 20_000 },
    );
  });

  test('with one changed byte are refused or decoded', () => {
    fc.assert(
      fc.property(frame, fc.nat(), fc.nat({ max: 255 }), (said, at, byte) => {
        const body = encode(packed(said));
        body[at % body.length] = byte;
        unpacked(body);
      }),
      { numRuns: 2000 },
    );
  });

  test('a stream of arbitrary bytes buffers no more than it received', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
        const { bodies } = bodiesIn(Buffer.from(bytes), cuts);
        expect(bodies.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 5000 },
    );
  });

  test('a frame over the limit is refused by its length, before it arrives', () => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(frameLimit + 1);
    expect(bodiesIn(length, []).isSound).toBe(false);
    length.writeUInt32BE(frameLimit);
    expect(bodiesIn(length, []).isSound).toBe(true);
  });

  test('lengths are not trusted: nothing is allocated for missing data', () => {
    const arrays = Buffer.alloc(2 ** 16, Buffer.from([0xdd, 0x00, 0xff, 0xff, 0xff])); // nested, 16 million items each
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapTotal;
    expect(unpacked(arrays)).toBe(null);
    expect(unpacked(Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff]))).toBe(null); // a map
    expect(unpacked(Buffer.from([0xdb, 0xff, 0xff, 0xff, 0xff, 0x61]))).toBe(null); // a string
    const after = process.memoryUsage().arrayBuffers + process.memoryUsage().heapTotal;
    expect(after - before).toBeLessThan(16 * 2 ** 20);
  });

  test('nesting is limited', () => {
    expect(unpacked(Buffer.alloc(2 ** 20, 0x91))).toBe(null);
    const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);
    expect(unpacked(encode([12, 1, deep(50), []]))).toMatchObject({ type: 'answer' });
    expect(unpacked(encode([12, 1, ['x'.repeat(300), deep(90)], []]))).toBe(null);
  });

  const message = { type: 'request', k: 1 };
  test('the frame that the next tests modify is valid', () => {
    const run = { type: 'run', epoch: 1, lock: 'a', algorithm: 'b', entry: 1, as: 0, stamp: null, message };
    expect(unpacked(encode([0, 1, 'a', 'b', 1, 0, null, message]))).toEqual(run);
  });

  test.each<[string, unknown[]]>([
    ['step', [32, 1, 'a', 1, 0, null, message]],
    ['want', [33, 1, 'a', 'b', 0, true]],
    ['stop', [34, 1, 'a']],
    ['stopped', [35, 1, 'a', 'b', 'none', 0, 0, true, true]],
    ['start', [36, 1, 'a', 'b', [0], [], 0, false, 0]],
    ['gap', [39]],
    ['sync', [40, 1, [0]]],
    ['report', [41, 1, [], [{ lock: 'a', parts: [0], latest: 0 }], true]],
    ['idle', [42, 1, [{ lock: 'a', run: 1, last: 1, closes: 0 }]]],
    ['noted', [43, 1, ['a']]],
    ['recorded', [44, 1, 1, [], [{ lock: 'a', run: 1, from: 0, to: 0 }]]],
    ['poll', [46, 1]],
  ])('so is %s', (type, values) => {
    expect(unpacked(encode(values))).toMatchObject({ type });
  });

  test.each<[string, unknown]>([
    ['no array', { type: 'view', epoch: 1 }],
    ['no code', []],
    ['an unknown code', [99, 1]],
    ['a code that is a property', ['length', 1]],
    ['a field too few', [6]],
    ['a field too many', [6, 1, 1]],
    ['a number that is a text', [6, '1']],
    ['an epoch that is no integer', [6, 1.5]],
    ['a negative epoch', [6, -1]],
    ['an epoch after the last', [6, lastEpoch + 1]],
    ['a name that is a number', [8, 1]],
    ['an over-long name', [8, 'x'.repeat(longestName + 1)]],
    ['an entry that is not finite', [0, 1, 'a', 'b', Number.NaN, 0, null, message]],
    ['a message without a type', [0, 1, 'a', 'b', 1, 0, null, { k: 1 }]],
    ['a message that is no object', [0, 1, 'a', 'b', 1, 0, null, ['request']]],
    ['a message with something that is not plain', [0, 1, 'a', 'b', 1, 0, null, { ...message, k: Infinity }]],
    ['a message with bytes', [0, 1, 'a', 'b', 1, 0, null, { ...message, k: new Uint8Array(2) }]],
    ['a message with a date', [0, 1, 'a', 'b', 1, 0, null, { ...message, k: new Date(0) }]],
    ['what is held is no list', [1, 1, {}]],
    ['what is held lacks a field', [1, 1, [{ lock: 'a', algorithm: 'b' }]]],
    ['what is held has a field more', [1, 1, [{ lock: 'a', algorithm: 'b', fence: 1, by: 1 }]]],
    ['what is held has an inherited key', [1, 1, [{ lock: 'a', algorithm: 'b', constructor: 1 }]]],
    ['a position that no view has', [2, 1, [{ lock: 'a', algorithm: 'b', fence: 1, by: mostMembers }]]],
    ['an address that no view has', [0, 1, 'a', 'b', 1, mostMembers, null, message]],
    ['a marker of nobody', [17, 1, mostMembers, 1]],
    ['a code that is no integer', [6.5, 1]],
    ['a clock that is out of range', [16, 1, { heard: 1e300, wall: 1, said: 1 }]],
    ['neither true nor false', [10, 'a', 1, 1]],
    ['a pong without clocks', [16, 3]],
    ['a clock that is a text', [16, 3, { heard: 1, wall: 'x', said: 2 }]],
    ['a stamp that is a number', [0, 1, 'a', 'b', 1, 0, 1, message]],
    ['a candidacy without an algorithm', [26, 1, 'e', null, 1]],
    ['a candidacy with a number that is a text', [26, 1, 'e', 'bully', '1']],
    ['a withdrawal with a negative number', [27, 1, 'e', -1]],
    ['a winner of a round that is no integer', [28, 1, 'e', 0.5]],
    ['a round whose candidates are no list', [29, 1, 'e', 'bully', 1, {}]],
    ['a round with a candidate without a number', [29, 1, 'e', 'bully', 1, [{ by: 0 }]]],
    ['a round with a position that no view has', [29, 1, 'e', 'b', 1, [{ by: mostMembers, number: 1 }]]],
    ['a refusal with an over-long name', [30, 1, 'x'.repeat(longestName + 1), 1, null]],
    ['a message of a round without a type', [31, 1, 'e', 1, 0, { id: 1 }]],
    ['a message of a round with an address that no view has', [31, 1, 'e', 1, mostMembers, message]],
    ['a message and something more', [0, 1, 'a', 'b', 1, 0, null, message, 1]],
    ['a step without a message', [32, 1, 'a', 1, 0, null]],
    ['a step and something more', [32, 1, 'a', 1, 0, null, message, 1]],
    ['a step of a negative run', [32, -1, 'a', 1, 0, null, message]],
    ['a step of a run that is no exact number', [32, 2 ** 53, 'a', 1, 0, null, message]],
    ['a step with an address that no view has', [32, 1, 'a', 1, mostMembers, null, message]],
    ['a step with a stamp that is a text', [32, 1, 'a', 1, 0, '1', message]],
    ['a step with a message without a type', [32, 1, 'a', 1, 0, null, { k: 1 }]],
    ['a want without an algorithm', [33, 1, 'a', null, 0, true]],
    ['a want that waits for a number', [33, 1, 'a', 'b', 0, 1]],
    ['a stop of an over-long name', [34, 1, 'x'.repeat(longestName + 1)]],
    ['an answer to a stop with an unknown claim', [35, 1, 'a', 'b', 'all', 0, 0, true, true]],
    ['an answer to a stop with a negative fence', [35, 1, 'a', 'b', 'none', 0, -1, true, true]],
    ['a start whose members are no list', [36, 1, 'a', 'b', 0, [], 0, false, 0]],
    ['a start with a position that no view has', [36, 1, 'a', 'b', [mostMembers], [], 0, false, 0]],
    [
      'a start with more members than any view',
      [36, 1, 'a', 'b', Array(mostMembers + 1).fill(0), [], 0, false, 0],
    ],
    ['a start with a root that no view has', [36, 1, 'a', 'b', [0], [], mostMembers, false, 0]],
    ['a gap with a field', [39, 1]],
    ['slots that are no list', [40, 1, 0]],
    [
      'a report with a part that no view has',
      [41, 1, [], [{ lock: 'a', parts: [mostMembers], latest: 0 }], true],
    ],
    ['a report with a lock without parts', [41, 1, [], [{ lock: 'a', latest: 0 }], true]],
    ['an idle lock with a fence that is a text', [42, 1, [{ lock: 'a', run: 1, last: '1', closes: 0 }]]],
    ['noted locks that are no names', [43, 1, [1]]],
    ['a recorded lock without a run', [44, 1, 1, [{ lock: 'a', algorithm: 'b' }], []]],
    ['a recorded token to nobody', [44, 1, 1, [], [{ lock: 'a', run: 1, from: 0, to: mostMembers }]]],
    ['a poll of an epoch after the last', [46, lastEpoch + 1]],
  ])('%s is malformed', (_, body) => {
    expect(unpacked(encode(body))).toBe(null);
  });

  test('a key that would reach the prototype is malformed', () => {
    const body = encode([0, 1, 'a', 'b', 1, 0, null, { type: 'request', ___proto_: 1 }]);
    const text = Buffer.from(body);
    text.write('__proto__', text.indexOf('___proto_'));
    expect(unpacked(text)).toBe(null);
  });
});

describe('older versions', () => {
  const sinceVersion5 = ['stand', 'withdraw', 'elected', 'round', 'stand-refused', 'elect'];
  const sinceVersion6 = [
    ...[
      'step',
      'want',
      'stop',
      'stopped',
      'start',
      'opened',
      'over',
      'gap',
      'sync',
      'report',
      'idle',
      'noted',
    ],
    ...['recorded', 'recorded-piece', 'poll', 'polled'],
  ];

  test('are 4 and 5', () => {
    expect([...frameFormats.keys()]).toEqual([4, 5, 6]);
    expect(versionsOf(frameFormats).highest).toBe(protocolVersion);
  });

  test.each([
    [4, [...sinceVersion5, ...sinceVersion6]],
    [5, sinceVersion6],
  ])(
    'version %d has the same bytes for every kind, except later ones, which it neither sends nor reads',
    (version, later) => {
      const format = frameFormats.get(version)!;
      fc.assert(
        fc.property(frame, (one) => {
          const isLater = later.includes(one.type);
          expect(format.pack(one)).toEqual(isLater ? null : packed(one));
          expect(format.unpack(encode(packed(one)))).toEqual(isLater ? null : one);
        }),
        { numRuns: 500 },
      );
    },
  );

  const message = { type: 'request', k: 1 };
  const heldLock = { lock: 'a', algorithm: 'b', fence: 7 };
  const flushed = { lock: 'a', algorithm: 'b', root: 0, isHeld: true, hasToken: false, waiting: 2 };
  const inTransit = { lock: 'a', algorithm: 'b', from: 0, to: 1 };

  test.each<[Frame, unknown[]]>([
    [
      { type: 'run', epoch: 1, lock: 'a', algorithm: null, entry: 2, as: 0, stamp: null, message },
      [0, 1, 'a', null, 2, 0, null, message],
    ],
    [{ type: 'flush', epoch: 1, held: [heldLock] }, [1, 1, [heldLock]]],
    [{ type: 'install', epoch: 1, held: [{ ...heldLock, by: 2 }] }, [2, 1, [{ ...heldLock, by: 2 }]]],
    [{ type: 'open', epoch: 1, lock: 'a' }, [3, 1, 'a']],
    [{ type: 'begin', epoch: 1, lock: 'a', algorithm: 'b' }, [4, 1, 'a', 'b']],
    [{ type: 'refresh', epoch: 1 }, [5, 1]],
    [{ type: 'view', epoch: 1 }, [6, 1]],
    [{ type: 'conflict', lock: 'a', algorithm: 'b' }, [7, 'a', 'b']],
    [{ type: 'probe', lock: 'a', attempt: 1 }, [8, 'a', 1]],
    [{ type: 'busy', lock: 'a', attempt: 1 }, [9, 'a', 1]],
    [{ type: 'leads', election: 'e', term: 1, ends: true }, [10, 'e', 1, true]],
    [{ type: 'marker', epoch: 1, by: 0, number: 3 }, [17, 1, 0, 3]],
    [
      { type: 'part', epoch: 1, number: 3, locks: [flushed], tokens: [inTransit] },
      [18, 1, 3, [flushed], [inTransit]],
    ],
    [{ type: 'stand', epoch: 1, election: 'e', algorithm: 'bully', number: 1 }, [26, 1, 'e', 'bully', 1]],
    [{ type: 'elect', epoch: 1, election: 'e', round: 1, as: 0, message }, [31, 1, 'e', 1, 0, message]],
  ])('the bytes of $type have not changed', (said, values) => {
    expect(packed(said)).toEqual(values);
    expect(unpacked(encode(values))).toEqual(said);
  });
});

test('run numbers and fences beyond 32 bits are encoded as other libraries do', () => {
  for (const run of [2 ** 32, 2 ** 32 + 1, fenceOf(lastEpoch, 1), Number.MAX_SAFE_INTEGER]) {
    const stop: Frame = { type: 'stop', run, lock: 'a' };
    const { bodies } = bodiesIn(bytesOf(packed(stop)), []);
    expect(bodies[0]).toEqual(Buffer.from(encode([34, run, 'a'])));
    expect(unpacked(bodies[0]!)).toEqual(stop);
  }
  expect(unpacked(Buffer.from([0x93, 34, 0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 0, 0xa1, 0x61]))).toBe(null); // 2 ** 53
});

test('a replay buffer returns unacknowledged bytes again, after any sequence of operations', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add'), size: fc.nat({ max: 5000 }) }),
    fc.record({ do: fc.constantFrom('take', 'drop', 'rewind'), size: fc.nat({ max: 20_000 }) }),
  );
  const run = (steps: readonly { do: string; size: number }[]) => {
    const replayBuffer = new ReplayBuffer();
    const all: Buffer[] = [];
    let [dropped, given, end] = [0, 0, 0];
    for (const { do: what, size } of steps)
      if (what === 'add') {
        const body = 'x'.repeat(size) + all.length;
        replayBuffer.add(body);
        all.push(bytesOf(body));
        end += all.at(-1)!.length;
      } else if (what === 'take') {
        expect(replayBuffer.take()).toEqual(Buffer.concat(all).subarray(given, end));
        given = end;
      } else {
        const offset = dropped + size;
        const isPossible = offset <= given;
        expect(what === 'drop' ? replayBuffer.drop(offset) : replayBuffer.rewind(offset)).toBe(isPossible);
        if (isPossible) dropped = offset;
        if (isPossible && what === 'rewind') given = offset;
        expect([replayBuffer.unacknowledgedBytes, replayBuffer.length]).toEqual([end - dropped, end - given]);
      }
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), run));
});

describe('a hello', () => {
  const names = { group: 'orders', from: 'a', to: 'b', ticket: 'c' };
  const hello = { lowest: 1, highest: 3, session: 0, isResumed: false, ...names };

  test('survives a round trip, and may have more fields in later versions', () => {
    expect(unpackHello(encode(packHello(hello)))).toEqual(hello);
    expect(unpackHello(encode([...packHello(hello), 'more']))).toEqual(hello);
  });

  test('is not a frame, nor a frame a hello', () => {
    expect(unpacked(encode(packHello(hello)))).toBe(null);
    expect(unpackHello(encode(packed({ type: 'view', epoch: 1 })))).toBe(null);
  });

  test.each([0, 700, null])('has an answer that survives a round trip: %s', (offset) => {
    const answer = { lowest: 1, highest: 3, by: 'b', offset };
    expect(unpackHelloAnswer(encode(packHelloAnswer(answer)))).toEqual(answer);
    expect(unpackHelloAnswer(encode([...packHelloAnswer(answer), 'more']))).toEqual(answer);
    expect(unpackHelloAnswer(encode(packHello(hello)))).toBe(null);
  });
});
