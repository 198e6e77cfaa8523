import { expect, test } from 'vitest';
import { start } from './child-program.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

test('a group of one machine loads neither TLS nor OpenTelemetry, nor any other package', async () => {
  const child = start('local-group', []);
  await child.ready();
  expect(child.lines[0]).toBe(''); // the bundle contains what it needs
});
