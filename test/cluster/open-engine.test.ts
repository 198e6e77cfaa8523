import { describe, expect, test } from 'vitest';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import { explainedLoadError } from '../../src/cluster/engines/remote/client-package.ts';
import { InputError } from '../../src/core/assert.ts';

describe('an address', () => {
  const open = (address: string) =>
    openEngine(address, { group: 'orders', leaseMs: 1000, unsafe: false, warn: () => {} });

  test('of an unknown engine is refused, with a suggestion', async () => {
    await expect(open('redsi://user:geheim@host')).rejects.toThrow(InputError);
    await expect(open('redsi://user:geheim@host')).rejects.toThrow(
      /^no engine is called 'redsi'.*redis.*: addresses begin with /,
    );
    await expect(open('host:geheim')).rejects.not.toThrow(/geheim/);
  });
});

describe('a client package', () => {
  const failing = (message: string, code?: string) => Object.assign(new Error(message), { code });
  const explained = (error: Error) => explainedLoadError('pg', error);

  test.each([
    ['Node', "Cannot find package 'pg' imported from /app/x.js"],
    ['webpack', "Cannot find module 'pg'"],
    ['Vite', 'Could not resolve "pg" imported by "batonjs". Is it installed?'],
  ])('that is missing is reported with the install command, as %s says it', (_, message) => {
    expect(explained(failing(message))).toEqual(
      new InputError('this engine needs the package pg: npm install pg'),
    );
  });

  test('that Jest cannot import is reported with the flag to set', () => {
    const error = failing(
      'A dynamic import callback was invoked',
      'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG',
    );
    expect(explained(error)).toEqual(
      new InputError(
        'Jest cannot load the package pg by itself: run it with NODE_OPTIONS=--experimental-vm-modules, or pass your own client',
      ),
    );
  });

  test('that fails in another way is reported with its own error', () => {
    const errors = [
      failing("Cannot find package 'pg-protocol' imported from x"),
      failing('bad', 'ERR_OTHER'),
    ];
    for (const error of errors) expect(explained(error)).toBe(error);
  });
});
