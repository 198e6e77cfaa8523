// Every error of the API is a BatonError, whatever the arguments are.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fenceIn, fenceMysql, fencePostgres, fenceRedis, HttpFences } from '../../src/cluster/fences.ts';
import {
  BatonError,
  type Group,
  inspectGroup,
  inspectGroupConsistently,
  join,
} from '../../src/cluster/index.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

const unhandled: unknown[] = [];
const noteUnhandled = (error: unknown) => unhandled.push(error);
beforeAll(() => {
  process.on('unhandledRejection', noteUnhandled);
});
afterAll(() => {
  process.off('unhandledRejection', noteUnhandled);
});

const anything = fc.oneof(
  { weight: 4, arbitrary: fc.anything({ ...allKinds(), maxDepth: 2 }) },
  fc.constantFrom<unknown>(
    Symbol('a'),
    () => {},
    Object.create(null),
    AbortSignal.abort(),
    -0,
    Infinity,
    'a',
  ),
);

function allKinds(): fc.ObjectConstraints {
  const containers = { withMap: true, withSet: true, withTypedArray: true, withSparseArray: true };
  return { ...containers, withBigInt: true, withBoxedValues: true, withDate: true, withNullPrototype: true };
}

/** An object with some of these fields, each with any value. */
const fields = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });

const anyOptions = (...names: string[]) => fc.oneof(anything, fields(...names));
const lockOptions = anyOptions('signal', 'timeoutMs', 'algorithm');
const name = fc.oneof(fc.constant('a'), anything);
const connection = ['engine', 'listen', 'advertise', 'tls', 'secret', 'unsafe'];

/** A kind of call with any arguments. It undoes what it has done. */
type Call = readonly [name: string, arguments: fc.Arbitrary<unknown[]>, call: (...args: never[]) => unknown];

const any = (value: unknown) => value as never;
const put = async (held: Promise<{ release(): Promise<void> } | null>) => (await held)?.release();
const first = async (all: AsyncGenerator<unknown>) => {
  await all.next();
  await all.return(undefined);
};
let group: Group;

const calls: Call[] = [
  [
    'join',
    fc.tuple(name, anyOptions(...connection, 'leaseMs', 'algorithm', 'priority', 'local', 'signal')),
    async (...args) => (await join(...(args as [never, never]))).leave(),
  ],
  ['inspectGroup', fc.tuple(name, anyOptions(...connection)), (of, options) => inspectGroup(of, options)],
  [
    'inspectGroupConsistently',
    fc.tuple(name, anyOptions(...connection)),
    (of, options) => inspectGroupConsistently(of, options),
  ],
  ['lock', fc.tuple(name, lockOptions), (lock, options) => put(group.lock(lock, options))],
  ['tryLock', fc.tuple(name, lockOptions), (lock, options) => put(group.tryLock(lock, options))],
  [
    'withLock',
    fc.oneof(fc.tuple(name, anything), fc.tuple(name, lockOptions, anything)),
    (...args) => group.withLock(...(args as [never, never])),
  ],
  [
    'lockAll',
    fc.tuple(fc.oneof(anything, fc.array(name, { maxLength: 3 })), lockOptions),
    (names, options) => put(group.lockAll(names, options)),
  ],
  [
    'terms',
    fc.tuple(name, anyOptions('signal')),
    (election, options) => first(group.election(election).terms(options)),
  ],
  [
    'observe',
    fc.tuple(name, anyOptions('signal')),
    (election, options) => first(group.election(election).observe(options)),
  ],
  [
    'leave',
    fc.tuple(anyOptions('drainMs', 'signal')),
    async (options) => {
      await using leaver = await join('leaver');
      await leaver.leave(options);
    },
  ],
  [
    'on',
    fc.tuple(fc.oneof(fc.constantFrom('lost', 'view', 'error', 'newListener'), anything), anything),
    (event, listener) => group.on(event, listener)(),
  ],
  [
    'onChange',
    fc.tuple(anything),
    async (listener) => {
      await using lock = await group.lock('a');
      lock.onChange(listener);
    },
  ],
  [
    'get',
    fc.tuple(anything),
    async (lock) => {
      await using locks = await group.lockAll(['a', 'b']);
      locks.get(lock);
    },
  ],
  [
    'fenceMysql',
    fc.tuple(anything, name, fc.oneof(fc.nat(), anything), anything),
    (client, resource, fence, answer) =>
      fenceMysql(any(client ?? { execute: async () => answer }), resource, fence),
  ],
  [
    'fencePostgres',
    fc.tuple(anything, name, fc.oneof(fc.nat(), anything), anything),
    (client, resource, fence, answer) =>
      fencePostgres(any(client ?? { query: async () => answer }), resource, fence),
  ],
  [
    'fenceRedis',
    fc.tuple(
      anything,
      name,
      fc.oneof(fc.nat(), anything),
      fc.oneof(fc.array(fc.string()), anything),
      anything,
    ),
    (client, key, fence, command, answer) =>
      fenceRedis(any(client ?? { sendCommand: async () => answer }), key, fence, command),
  ],
  ['fenceIn', fc.tuple(anything), (headers) => fenceIn(headers)],
  ['refusal', fc.tuple(name, anything), (resource, headers) => new HttpFences().refusal(resource, headers)],
];

test.each(calls)('%s: only BatonErrors come out', { timeout: 120_000 }, async (_, args, call) => {
  group = await join('subject');
  try {
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        try {
          await call(...(given as never[]));
        } catch (error) {
          if (!(error instanceof BatonError)) throw error;
          expect(error.message).toMatch(/^[^\n]+$/);
        }
      }),
      { numRuns: 300, endOnFailure: true },
    );
    await (await group.lock('a', { timeoutMs: 5000 })).release(); // the group works as before
    expect(unhandled).toEqual([]);
  } finally {
    await group.leave();
  }
});
