import { expect, test } from 'vitest';
import { start } from './child-program.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

test('a group of one machine loads one package, and no TLS: the kernel reports the death of a small process earlier', async () => {
  const child = start('local-group', []);
  await child.ready();
  expect(child.lines[0]).toBe('@msgpack/msgpack');
});
