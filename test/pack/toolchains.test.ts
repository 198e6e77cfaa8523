// Other people's tools on a clean install of batonjs, with the client of one engine only.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isVerify, long } from '../tiers.ts';
import { EmptyFolder } from './empty-folder.ts';

/** The tools by the name under which they are installed. The full tier has one of each kind. */
const compilers: Readonly<Record<string, string>> = {
  'typescript-5.4': 'typescript@5.4',
  ...(isVerify && {
    'typescript-5.9': 'typescript@5.9',
    'typescript-6': 'typescript@6.0',
    'typescript-7': 'typescript@7.0',
  }),
};
const others = [
  'webpack',
  'webpack-cli',
  'vite',
  'jest',
  'ts-jest',
  'typescript@5.9',
  '@types/jest',
  '@arethetypeswrong/cli',
];

let folder: EmptyFolder;
beforeAll(() => {
  folder = new EmptyFolder();
  const tools = Object.entries(compilers).map(([name, of]) => `${name}@npm:${of}`);
  folder.install(
    'batonjs',
    'pg',
    '@types/node@20',
    'esbuild',
    'publint',
    ...tools,
    ...(isVerify ? others : []),
  );
  folder.write('use.mjs', program);
});
afterAll(() => folder.remove());

const program = `import { BatonError, join } from 'batonjs';
import { fenceIn } from 'batonjs/fences';
async function main() {
  const group = await join('packed');
  const lock = await group.lock('a', { timeoutMs: 2000 });
  console.log(lock.fence > 0, fenceIn({}));
  await lock.release();
  await group.leave();
  for (const engine of ['redis://127.0.0.1:1', 'nats://127.0.0.1:1', 'mysql://127.0.0.1:1', 'postgres://127.0.0.1:1', 'etcd://127.0.0.1:1'])
    await join('x', { engine }).catch((error) => console.log(error instanceof BatonError, error.code, error.message));
}
main();
`;
/** The bundle has the client that is installed, and names the others. */
const printed = [
  'true null',
  'true input this engine needs the package redis: npm install redis',
  'true input this engine needs the package @nats-io/transport-node: npm install @nats-io/transport-node',
  'true input this engine needs the package mysql2: npm install mysql2',
  expect.stringMatching(/^true unavailable PostgreSQL at 127\.0\.0\.1:1\/ fails: connect ECONNREFUSED/),
  expect.stringMatching(/^true unavailable etcd cannot be reached/),
];
const run = (file: string) => folder.run(process.execPath, [file]).trimEnd().split('\n');
const tool = (path: string, ...args: string[]) =>
  folder.run(process.execPath, [`node_modules/${path}`, ...args]);

test('publint finds nothing', () => {
  expect(tool('publint/src/cli.js', 'node_modules/batonjs', '--strict')).toContain('All good!');
});

long('attw finds nothing', () => {
  const report = tool(
    '@arethetypeswrong/cli/dist/index.js',
    folder.packed.batonjs!.filename,
    '--format',
    'json',
  );
  expect(JSON.parse(report).problems).toEqual({});
});

/** A program that uses every entry point. */
const typed = `import { BatonError, type Group, join } from 'batonjs';
import { algorithms, changRoberts } from 'batonjs/algorithms';
import { groups, type Inspection } from 'batonjs/cluster';
import type { Algorithm } from 'batonjs/core';
import { MessageMachine } from 'batonjs/machine';
import { fenceIn } from 'batonjs/fences';
import type { OpenStore } from 'batonjs';
import { type EtcdOptions, etcd } from 'batonjs/etcd';
import { type IoredisClient, ioredis } from 'batonjs/ioredis';
import { type MysqlPool, mysql } from 'batonjs/mysql';
import { type NatsClientConnection, nats } from 'batonjs/nats';
import { type PostgresPool, postgres } from 'batonjs/postgres';
import { type NodeRedisClient, redis } from 'batonjs/redis';
type Clients = { a: EtcdOptions; b: IoredisClient; c: NatsClientConnection; d: PostgresPool; e: NodeRedisClient; f: MysqlPool };
export const engines = ({ a, b, c, d, e, f }: Clients): OpenStore[] => [etcd(a), ioredis(b), nats(c), postgres(d), redis(e), mysql(f)];
// @ts-expect-error: a pool is no client of Redis, so the types are really there
export const wrong = (pool: PostgresPool) => redis(pool);
export type Mine = Algorithm<'election', { x: number }, { type: 'm' }, ['id']>;
export async function use(group: Group): Promise<Inspection> {
  const lock = await group.lock('a', { timeoutMs: 2000 });
  const fence: number = lock.fence;
  // @ts-expect-error: the fence is a number, so the types are really there
  const text: string = lock.fence;
  await lock.release();
  console.log(fence, text, algorithms.length, changRoberts.name, groups(), MessageMachine, fenceIn({}), BatonError, join);
  return group.inspect();
}
`;

describe.each(Object.keys(compilers))('%s, without skipLibCheck', (compiler) => {
  const isOld = /5\.\d|-6/.test(compiler); // version 7 no longer has node10
  const modules = [
    { module: 'nodenext', moduleResolution: 'nodenext', file: 'use.mts' },
    { module: 'nodenext', moduleResolution: 'nodenext', file: 'use.cts' },
    { module: 'esnext', moduleResolution: 'bundler', file: 'use.ts' },
    ...(isOld ? [{ module: 'commonjs', moduleResolution: 'node10', file: 'use.ts' }] : []),
  ];
  const environments = [
    { lib: ['es2022', 'dom'], types: [] },
    { lib: ['es2022'], types: ['node'] },
  ];

  test.each(modules)('$module, resolved as $moduleResolution: $file', ({ file, ...kind }) => {
    folder.write(file, typed);
    for (const environment of environments) {
      const deprecated = compiler.endsWith('-6') ? { ignoreDeprecations: '6.0' } : {};
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: 'es2022',
        ...kind,
        ...environment,
        ...deprecated,
      };
      folder.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
      tool(`${compiler}/bin/tsc`);
    }
  });
});

test.each(['esm', 'cjs'])('esbuild: a bundle as %s runs', (format) => {
  const file = `esbuild.${format === 'esm' ? 'mjs' : 'cjs'}`;
  const options = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${file}`];
  const outside = format === 'esm' ? ['--external:pg'] : []; // pg requires modules of Node, which a bundle that is a module cannot
  folder.run('npx', ['--no-install', 'esbuild', 'use.mjs', ...options, ...outside]);
  expect(run(file)).toEqual(printed);
});

long('webpack: a bundle runs', () => {
  tool(
    'webpack-cli/bin/cli.js',
    '--mode',
    'development',
    '--target',
    'node20',
    '--entry',
    './use.mjs',
    '-o',
    'webpack',
    '--output-filename',
    'main.cjs',
  );
  expect(run('webpack/main.cjs')).toEqual(printed);
});

long('vite: a build for servers runs, with the package outside and inside', () => {
  tool('vite/bin/vite.js', 'build', '--ssr', 'use.mjs', '--outDir', 'vite');
  expect(run('vite/use.js')).toEqual(printed);
  folder.write(
    'vite.config.mjs',
    `export default { ssr: { noExternal: true }, build: { ssr: 'use.mjs', outDir: 'vite-all' } };\n`,
  );
  tool('vite/bin/vite.js', 'build');
  expect(run('vite-all/use.js')).toEqual(printed);
});

/** Of the package pg, which Jest can require. */
const poolInJest = `
test('an engine by a pool of the application', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  await expect(join('x', { engine: postgres(pool) })).rejects.toThrow('PostgreSQL at 127.0.0.1:1');
  await pool.end();
});
`;

const inJest = `
test('a lock', async () => {
  const group = await join('packed');
  const lock = await group.lock('a', { timeoutMs: 2000 });
  expect(lock.fence).toBeGreaterThan(0);
  await lock.release();
  await group.leave();
  await expect(join('x', { engine: 'etcd://127.0.0.1:1' })).rejects.toThrow(BatonError);
});
`;

long('Jest: a test that requires it', () => {
  folder.write(
    'jest/required.test.cjs',
    `const { BatonError, join } = require('batonjs');
const { postgres } = require('batonjs/postgres');
const pg = require('pg');
${inJest}${poolInJest}`,
  );
  tool('jest/bin/jest.js', '--rootDir', 'jest', '--testMatch', '**/required.test.cjs');
});

long('ts-jest: a test that imports it', () => {
  folder.write(
    'ts-jest/imported.test.ts',
    `import { BatonError, join } from 'batonjs';
import { postgres } from 'batonjs/postgres';
import * as pg from 'pg';
${inJest}${poolInJest}`,
  );
  folder.write(
    'ts-jest/tsconfig.json',
    JSON.stringify({ compilerOptions: { module: 'commonjs', esModuleInterop: true, target: 'es2022' } }),
  );
  folder.write(
    'ts-jest/jest.config.cjs',
    `module.exports = { preset: 'ts-jest', rootDir: ${JSON.stringify(`${folder.path}/ts-jest`)} };\n`,
  );
  tool('jest/bin/jest.js', '-c', 'ts-jest/jest.config.cjs');
});
