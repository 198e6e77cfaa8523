// Every error of the API is a BatonError, whatever the circumstances are. wrong-arguments.test.ts has the arguments.
import { spawnSync } from 'node:child_process';
import { join as joinPath } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { toBatonError } from '../../src/cluster/errors.ts';
import { BatonError, groups, inspectGroup, join } from '../../src/cluster/index.ts';
import { otherRuntime } from '../../src/cluster/runtime.ts';
import { AssertionError, InputError } from '../../src/core/assert.ts';
import { moduleArguments } from './inline-module.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();
const { BATON_DIR } = process.env;
afterEach(() => {
  process.env.BATON_DIR = BATON_DIR;
});

describe('an error', () => {
  test('of the user becomes input', () => {
    const cause = new InputError('n must be at least 1');
    expect(toBatonError(cause, 'joining')).toEqual(
      new BatonError('input', 'n must be at least 1', { cause, definite: true }),
    );
  });

  test.each([
    [Object.assign(new Error('open EMFILE'), { code: 'EMFILE' }), /^joining failed: .*too many open files/],
    [Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }), /^joining failed: the disk is full$/],
    [Object.assign(new Error('listen EIO'), { code: 'EIO' }), /^joining failed: listen EIO$/],
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), /^joining failed: ECONNREFUSED$/],
    [new Error('of a client'), /^joining failed: of a client$/],
    ['a string', /^joining failed: a string$/],
    [undefined, /^joining failed: undefined$/],
  ])('of the system or a client becomes unavailable: %s', (cause, message) => {
    const error = toBatonError(cause, 'joining') as BatonError;
    expect(error).toBeInstanceOf(BatonError);
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(message), cause });
    expect(error.definite).toBe(false);
  });

  test('that only a bug can cause stays as it is', () => {
    const bugs = [new TypeError('a'), new RangeError('b'), new ReferenceError('c'), new AssertionError('d')];
    for (const bug of [...bugs, new BatonError('lost', 'e')]) expect(toBatonError(bug, 'joining')).toBe(bug);
  });
});

test('a directory that cannot be used is a mistake of the user', async () => {
  process.env.BATON_DIR = '/dev/null';
  const refusal = { name: 'BatonError', code: 'input', message: expect.stringMatching(/BATON_DIR/) };
  expect(() => groups()).toThrow(expect.objectContaining(refusal));
  await expect(join('a')).rejects.toMatchObject(refusal);
  await expect(inspectGroup('a')).rejects.toMatchObject(refusal);
});

test('so is one with a path that is too long for a socket', async () => {
  process.env.BATON_DIR = joinPath(BATON_DIR!, 'x'.repeat(100));
  await expect(join('a')).rejects.toMatchObject({
    name: 'BatonError',
    code: 'input',
    message: expect.stringMatching(/set BATON_DIR to a shorter directory$/),
  });
});

test('out of file descriptors, calls reject with unavailable and the way out', { timeout: 60_000 }, ({
  skip,
}) => {
  if (otherRuntime === 'Bun') skip('an error of Bun in listening does not say why');
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { groups, inspectGroup, join } from 'batonjs/cluster';
    const attempt = async (name, call) => {
      try {
        await call();
        console.log(name, 'succeeded');
      } catch ({ name: kind, code, message }) {
        console.log(name, kind, code, message);
      }
    };
    const opened = [];
    console.log('out of files');
    try {
      for (;;) opened.push(openSync('/dev/null'));
    } catch {}
    for (let free = 0; free < 12; free += 1) {
      await attempt('join', async () => (await join('a')).leave());
      await attempt('inspectGroup', () => inspectGroup('a'));
      await attempt('groups', () => groups());
      closeSync(opened.pop());
    }
    process.exit();`;
  const command = ['-c', 'ulimit -n 512; exec "$0" "$@"', process.execPath, ...moduleArguments(program)];
  const { stdout } = spawnSync('sh', command, { encoding: 'utf8' });
  const [first, ...lines] = stdout.trimEnd().split('\n');
  expect(first).toBe('out of files');
  expect(lines).toHaveLength(36);
  for (const line of lines)
    expect(line).toMatch(/^\w+ (succeeded|BatonError unavailable .*too many open files)/);
  for (const call of ['join', 'inspectGroup', 'groups']) {
    expect(lines.find((line) => line.startsWith(call))).toMatch(/BatonError/);
    expect(lines.findLast((line) => line.startsWith(call))).toMatch(/succeeded/);
  }
});
