import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { start } from '../../bench/servers.ts';
import { postgres } from '../../src/cluster/engines/clients/postgres-pool.ts';
import { openPostgres } from '../../src/cluster/engines/remote/postgres.ts';
import { join as joinGroup } from '../../src/cluster/index.ts';
import { algorithm, conformsToEngine, peerNamed, soon } from '../conformance/engine.ts';
import { keepsGroupKey } from '../conformance/group-key.ts';
import { reconnects } from '../conformance/reconnection.ts';
import {
  agree,
  closeAll,
  createTablesOnce,
  handOn,
  leaseMs,
  open,
  passesStoreConformance,
  refusal,
  survivesTroubles,
} from '../conformance/store.ts';
import { carriesGroups } from '../conformance/stored-group.ts';
import { withServer } from './database-server.ts';
import { lacksKeys, skipper } from './other-runtimes.ts';

const skipFor = skipper();

withServer('postgresql', (server) => {
  const [a, b] = [peerNamed('a'), peerNamed('b')];
  const at = (change: (url: URL) => void, from = server().url) => {
    const url = new URL(from);
    change(url);
    return url.href;
  };

  async function run(text: string, address = server().url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(address);
    await client.connect();
    try {
      return (await client.query(text)).rows ?? [];
    } finally {
      await client.end();
    }
  }
  const drop = async () => {
    await run('drop table if exists baton_views, baton_leases, baton_keys');
  };
  const surroundings = (address: () => string, isDeaf = false) => ({
    leaseMs,
    isDeaf,
    open: (group: string) => open(address(), { group }),
    living: async (_: string, id: string) => peerNamed(id),
    end: async () => {
      await closeAll();
      await drop();
    },
  });

  conformsToEngine('PostgreSQL as an engine', () => surroundings(() => server().url));

  describe('behind a pooler', () => {
    withServer(
      'pgbouncer',
      (pooler) => {
        conformsToEngine('PostgreSQL as an engine', () => surroundings(() => pooler().url, true));

        test('all statements of many engines share four connections', async () => {
          const engines = await Promise.all(
            Array.from({ length: 12 }, (_, i) => open(pooler().url, { group: `g${i}` })),
          );
          for (const engine of engines) engine.watch(() => {});
          await Promise.all(
            engines.map(async (engine) => {
              for (let i = 0; i < 10; i += 1) {
                await engine.renew('a');
                await engine.change(await engine.read(), algorithm, [a]);
                expect(await engine.expired([a, b])).toEqual(['b']);
              }
            }),
          );
          const [{ count }] = (await run(
            `select count(*)::int from pg_stat_activity where application_name = 'baton'`,
          )) as [{ count: number }];
          expect(count).toBeLessThanOrEqual(4);
          await closeAll();
        });
      },
      () => ({ before: server().url }),
    );
  });

  carriesGroups('PostgreSQL', server, drop);

  reconnects('PostgreSQL', server);

  keepsGroupKey('PostgreSQL', {
    open: (group) => open(server().url, { group }),
    wipe: drop,
    end: async () => {
      await closeAll();
      await drop();
    },
    replace: async (text) => {
      await run(`update baton_keys set key = '${text}' where group_name = 'orders'`);
    },
    options: () => ({ engine: server().url }),
  });

  const save = async () => {
    const [row] = await run(`select revision, record from baton_views where group_name = 'orders'`);
    return async () => {
      await run(`update baton_views set revision = '${row!.revision}', record = '${row!.record}'`);
    };
  };
  survivesTroubles('PostgreSQL as an engine', server, {
    openStore: (options) => openPostgres(server().url, options),
    wipe: drop,
    save,
  });

  describe('by a pool of the application', () => {
    let pools: pg.Pool[] = [];
    const poolAt = (address: string, options: pg.PoolConfig = {}) => {
      const pool = new pg.Pool({ connectionString: address, ...options });
      pool.on('error', () => {});
      pools.push(pool);
      return pool;
    };
    const engineAt = (address: string) => postgres(poolAt(address));
    afterEach(async () => {
      await closeAll();
      await Promise.all(pools.map((pool) => pool.end()));
      pools = [];
      await drop();
    });

    passesStoreConformance('PostgreSQL', { open: (options) => engineAt(server().url)(options), wipe: drop });

    survivesTroubles('PostgreSQL', server, {
      engineAt,
      openStore: (options) => engineAt(server().url)(options),
      wipe: drop,
      save,
    });

    test('a group holds two clients of the pool, and leaves the pool open', async () => {
      skipFor(lacksKeys);
      const pool = poolAt(server().url, { max: 3 });
      const options = { engine: postgres(pool) };
      const [one, other] = [
        await joinGroup('orders', options),
        await joinGroup('orders', { engine: server().url }),
      ];
      await soon(() => pool.totalCount - pool.idleCount).toBe(2);
      await handOn(one, other, server().url);
      await soon(() => pool.totalCount).toBe(0);
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });

    test('a pool with one client is enough: members only ask then', async () => {
      skipFor(lacksKeys);
      const options = { engine: postgres(poolAt(server().url, { max: 1 })) };
      const [one, other] = [
        await joinGroup('orders', options),
        await joinGroup('orders', { engine: server().url }),
      ];
      await soon(() => [one, other].map(({ view }) => view?.members.length)).toEqual([2, 2]);
      await (await one.lock('a')).release();
      await Promise.all([one.leave(), other.leave()]);
    });

    test('what is not a pool is refused in a sentence', () => {
      for (const wrong of [undefined, null, 'postgres://host', {}, new pg.Client(server().url).query])
        expect(() => postgres(wrong as never)).toThrow(
          'the client of the engine must be a pool of the package pg: postgres(new pg.Pool({ … }))',
        );
    });
  });

  describe('PostgreSQL as an engine', () => {
    afterEach(async () => {
      await closeAll();
      await drop();
    });

    test('creates its tables once, however many engines start at the same time', () =>
      createTablesOnce(server().url, drop));

    test('uses one connection, and one more to watch', async () => {
      const connections = async () =>
        (await run(`select 1 from pg_stat_activity where application_name = 'baton'`)).length;
      await soon(connections).toBe(0);
      const engine = await open(server().url);
      await Promise.all(Array.from({ length: 20 }, () => engine.read()));
      expect(await connections()).toBe(1);
      engine.watch(() => {});
      await soon(connections).toBe(2);
      await engine.close();
      await soon(connections).toBe(0);
    });

    test('continues when the server ends its connections', async () => {
      const engine = await open(server().url);
      const seen: number[] = [];
      engine.watch((view) => view !== null && seen.push(view.epoch));
      let view = await engine.change(null, algorithm, [a]);
      for (let round = 0; round < 3; round += 1) {
        await soon(() => seen.at(-1)).toBe(view.epoch);
        await run(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'baton'`);
        await soon(async () => (await engine.read().catch(() => null))?.epoch).toBe(view.epoch);
        view = await engine.change(view, algorithm, [b]);
      }
      await soon(() => seen.at(-1)).toBe(view.epoch);
    });

    test('removes leases that expired long ago', async () => {
      const engine = await open(server().url);
      await run(
        `insert into baton_leases select 'gone', 'm' || i, now() - interval '2 minutes' from generate_series(1, 9) i`,
      );
      await engine.renew('a');
      await engine.change(null, algorithm, [a]);
      await soon(() => run('select member from baton_leases')).toEqual([{ member: 'a' }]);
    });

    test('is not notified of changes of another group', async () => {
      const [engine, other] = [await open(server().url), await open(server().url, { group: 'other' })];
      const seen: unknown[] = [];
      other.watch((view) => view !== null && seen.push(view));
      await engine.change(null, algorithm, [a]);
      const view = await other.change(null, algorithm, [b]);
      await soon(() => seen).toEqual([view]);
    });

    test.each(['serializable', 'repeatable read'])('works with %s transactions', async (level) => {
      await run(`alter database postgres set default_transaction_isolation = '${level}'`);
      try {
        await agree(server().url);
      } finally {
        await run('alter database postgres reset default_transaction_isolation');
      }
    });

    test('writes durably, even if the server is configured otherwise', async () => {
      await run('alter database postgres set synchronous_commit = off');
      try {
        const engine = await open(server().url);
        for (let round = 0; round < 3; round += 1) {
          const view = await engine.change(await engine.read(), algorithm, [peerNamed(`m${round}`)]);
          await server().kill();
          await server().again();
          await soon(() => engine.read().catch(() => null)).toEqual(view);
        }
      } finally {
        await run('alter database postgres reset synchronous_commit');
      }
    });

    describe('refuses', () => {
      test('a server that may lose acknowledged writes, unless unsafe is set', async () => {
        const other = (await start('postgresql'))!; // with fsync = off
        try {
          expect(await refusal(other.url)).toBe(
            `PostgreSQL at ${new URL(other.url).host}/postgres runs with fsync = off and may forget what it has acknowledged: ` +
              'set it on, or join with { unsafe: true }',
          );
          const engine = await open(other.url, { unsafe: true });
          expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
        } finally {
          await closeAll();
          await other.stop();
        }
      });

      test('a standby, also one that became a standby later', async () => {
        const other = (await start('postgresql', { durable: true }))!;
        try {
          const engine = await open(other.url);
          await engine.change(null, algorithm, [a]);
          await other.kill();
          writeFileSync(join(other.folder, 'standby.signal'), '');
          await other.again();
          const sentence =
            /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres takes no writes: it is a standby, .*address of the primary$/;
          expect(await refusal(other.url, { unsafe: true })).toMatch(sentence);
          await soon(() => engine.read().catch(({ message }) => message)).toMatch(sentence);
          await expect(engine.expired([a])).rejects.toThrow(sentence);
          await expect(engine.renew('a')).rejects.toThrow(sentence);
        } finally {
          await closeAll();
          await other.stop();
        }
      });

      test('a user who may not create the tables, with the SQL to run; after that it works', async () => {
        await run('create role "Po or" login');
        const address = at((url) => {
          url.username = 'Po or';
        });
        try {
          const message = await refusal(address);
          expect(message).toMatch(
            /^the tables of batonjs are missing in PostgreSQL at .* and user Po or may not create them/,
          );
          await run(message.slice(message.indexOf('\n')));
          const engine = await open(address);
          await engine.renew('a');
          await engine.change(await engine.read(), algorithm, [a]);
          expect(await engine.expired([a, b])).toEqual(['b']);
          await engine.forget('a');
          await run('revoke update, delete on baton_keys from "Po or"');
          await engine.groupKey();
          await run('revoke all on baton_leases from "Po or"');
          await expect(engine.renew('a')).rejects.toThrow(
            /refuses user Po or: permission denied.* Run grant .* to "Po or"$/,
          );
        } finally {
          await closeAll();
          await drop();
          await run('drop role "Po or"');
        }
      });

      test('a wrong password and an unknown database, in one sentence without the password', async () => {
        const rules = join(server().folder, 'pg_hba.conf');
        const before = readFileSync(rules, 'utf8');
        await run(`create role guarded login password 'right'`);
        writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${before}`);
        await run('select pg_reload_conf()');
        const as = (password: string, database = 'postgres') =>
          at((url) => {
            url.username = 'guarded';
            url.password = password;
            url.pathname = database;
          });
        try {
          await soon(() => open(as('geheim')).catch(({ message }) => message)).toMatch(
            /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres refuses user guarded: password authentication failed/,
          );
          expect(await refusal(as('geheim'))).not.toContain('geheim');
          if (process.env.PGPASSWORD === undefined)
            expect(await refusal(as(''))).toMatch(
              /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres asks user guarded for a password: write postgres:/,
            );
          expect(await refusal(as('right', 'nowhere'))).toMatch(
            /\/nowhere refuses user guarded: database "nowhere" does not exist$/,
          );
        } finally {
          writeFileSync(rules, before);
          await run('drop role guarded');
          await run('select pg_reload_conf()');
        }
      });

      test('a user who may only read', async () => {
        await run('create role reader login');
        await run('alter role reader set default_transaction_read_only = on');
        const address = at((url) => {
          url.username = 'reader';
        });
        try {
          expect(await refusal(address)).toMatch(/takes no writes/);
          await open(server().url);
          await expect((await open(address)).renew('a')).rejects.toThrow(/takes no writes/);
        } finally {
          await run('drop role reader');
        }
      });
    });
  });
});
