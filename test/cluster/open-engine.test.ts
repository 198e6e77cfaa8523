import { describe, expect, test } from 'vitest';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import { loadClientPackage } from '../../src/cluster/engines/remote/client-package.ts';
import { InputError } from '../../src/core/assert.ts';

describe('an address', () => {
  const open = (address: string) =>
    openEngine({ address, group: 'orders', leaseMs: 1000, unsafe: false, warn: () => {} });

  test('of an unknown engine is refused, with a suggestion', async () => {
    await expect(open('redsi://user:geheim@host')).rejects.toThrow(InputError);
    await expect(open('redsi://user:geheim@host')).rejects.toThrow(
      /^no engine is called 'redsi'.*redis.*: addresses begin with /,
    );
    await expect(open('host:geheim')).rejects.not.toThrow(/geheim/);
  });
});

describe('a client package', () => {
  const failing = (message: string, code: string) => () => {
    throw Object.assign(new Error(message), { code });
  };

  test('that is missing is reported with the install command', async () => {
    const missing = failing(`Cannot find package 'pg' imported from /app/x.js`, 'ERR_MODULE_NOT_FOUND');
    await expect(loadClientPackage('pg', missing)).rejects.toThrow(
      new InputError('this engine needs the package pg: npm install pg'),
    );
  });

  test('that fails in another way rethrows its error', async () => {
    const broken = failing(`Cannot find package 'pg-protocol' imported from x`, 'ERR_MODULE_NOT_FOUND');
    await expect(loadClientPackage('pg', broken)).rejects.toThrow(/pg-protocol/);
    await expect(loadClientPackage('pg', failing('bad', 'ERR_OTHER'))).rejects.toThrow(/bad/);
  });

  test('that is installed is returned', async () => {
    expect(await loadClientPackage('pg', async () => 7)).toBe(7);
  });
});
