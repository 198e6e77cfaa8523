import mysql2, { type Pool, type PoolOptions } from 'mysql2';
import mysql2Promise, { type Connection } from 'mysql2/promise';
import { afterEach, describe, expect, test } from 'vitest';
import { start } from '../../bench/servers.ts';
import { mysql } from '../../src/cluster/engines/clients/mysql-pool.ts';
import { openMysql } from '../../src/cluster/engines/remote/mysql.ts';
import { join as joinGroup } from '../../src/cluster/index.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, conformsToEngine, pause, peerNamed, soon } from '../conformance/engine.ts';
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

type Row = Record<string, unknown>;

const skipFor = skipper();

withServer('mariadb', (server) => {
  const [a, b] = [peerNamed('a'), peerNamed('b')];
  const at = (change: (url: URL) => void, from = server().url) => {
    const url = new URL(from);
    change(url);
    return url.href;
  };

  /** Runs statements in one session. Returns the rows of the last one. */
  async function run(...texts: string[]): Promise<Row[]> {
    const connection = await mysql2Promise.createConnection({ uri: server().url, multipleStatements: true });
    try {
      let rows: Row[] = [];
      for (const text of texts) [rows] = (await connection.query(text)) as unknown as [Row[]];
      return rows;
    } finally {
      await connection.end();
    }
  }
  const drop = async () => {
    await run('drop table if exists baton_views, baton_leases, baton_keys');
  };
  const surroundings = (address: () => string) => ({
    leaseMs,
    isDeaf: true,
    open: (group: string) => open(address(), { group }),
    living: async (_: string, id: string) => peerNamed(id),
    end: async () => {
      await closeAll();
      await drop();
    },
  });

  conformsToEngine('MariaDB as an engine', () => surroundings(() => server().url));

  carriesGroups('MariaDB', server, drop);

  test('members hear of a new view from each other, long before they ask', async () => {
    skipFor(lacksKeys);
    const member = () => joinGroup('orders', { engine: server().url, leaseMs: 60_000 });
    const groups = [await member(), await member(), await member()];
    const sizes = () => groups.map(({ view }) => view?.members.length);
    for (let round = 0; round < 3; round += 1) {
      const begun = performance.now();
      const newcomer = await member();
      await (await newcomer.lock('a')).release();
      await soon(sizes).toEqual([4, 4, 4]);
      await newcomer.leave();
      await soon(sizes).toEqual([3, 3, 3]);
      expect(performance.now() - begun).toBeLessThan(5000); // they ask every 12 seconds
    }
    await Promise.all(groups.map((group) => group.leave()));
    await drop();
  });

  reconnects('MariaDB', server);

  keepsGroupKey('MariaDB', {
    open: (group) => open(server().url, { group }),
    wipe: drop,
    end: async () => {
      await closeAll();
      await drop();
    },
    replace: async (text) => {
      await run(`update baton_keys set group_key = '${text}' where group_name = 'orders'`);
    },
    options: () => ({ engine: server().url }),
  });

  const save = async () => {
    const [row] = await run(`select revision, record from baton_views where group_name = 'orders'`);
    const hex = (value: unknown) => `x'${(value as Buffer).toString('hex')}'`;
    return async () => {
      await run(`update baton_views set revision = ${hex(row!.revision)}, record = ${hex(row!.record)}`);
    };
  };
  survivesTroubles('MariaDB as an engine', server, {
    openStore: (options) => openMysql(server().url, options),
    watches: false,
    wipe: drop,
    save,
  });

  describe('by a pool of the application', () => {
    let pools: Pool[] = [];
    const poolAt = (address: string, options: PoolOptions = {}) => {
      const pool = mysql2.createPool({ uri: address, ...options });
      pools.push(pool);
      return pool;
    };
    const engineAt = (address: string) => mysql(poolAt(address));
    const members = (...groups: { readonly view: View | null }[]) =>
      soon(() => groups.map(({ view }) => view?.members.length)).toEqual(groups.map(() => groups.length));
    afterEach(async () => {
      await closeAll();
      await Promise.all(pools.map((pool) => pool.promise().end()));
      pools = [];
      await drop();
    });

    passesStoreConformance('MariaDB', {
      open: (options) => mysql(poolAt(server().url).promise())(options),
      watches: false,
      wipe: drop,
    });

    survivesTroubles('MariaDB', server, {
      engineAt,
      openStore: (options) => engineAt(server().url)(options),
      watches: false,
      wipe: drop,
      save,
    });

    /** Every setting that could change what a statement means, or what its result looks like. */
    function hostilePool(): Pool {
      const pool = poolAt(server().url, {
        ...{ charset: 'latin1_swedish_ci', timezone: '+05:00', flags: ['-FOUND_ROWS'] },
        ...{ rowsAsArray: false, nestTables: '_', namedPlaceholders: true },
        ...{ supportBigNumbers: true, bigNumberStrings: true, decimalNumbers: true, dateStrings: true },
        typeCast: () => 'cast',
        queryFormat: (text: string, values: unknown) => (values === undefined ? text : `${text} `),
      } as PoolOptions);
      pool.on('connection', (connection) => {
        for (const text of [
          "set global sql_mode = 'ORACLE,ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'",
          "set sql_mode = 'ORACLE,ANSI_QUOTES,NO_BACKSLASH_ESCAPES,EMPTY_STRING_IS_NULL'",
          "set time_zone = '-09:30', timestamp = 1, sql_safe_updates = 1, unique_checks = 0",
          'set character_set_results = utf16, character_set_connection = utf16',
          'set session transaction isolation level read uncommitted, read only',
          'set completion_type = 1, innodb_lock_wait_timeout = 50, autocommit = 0',
          'set sql_select_limit = 1, sql_big_selects = 0, max_join_size = 1',
          'start transaction read only',
        ])
          connection.query(text);
      });
      return pool;
    }

    describe('whose sessions are set up in every strange way', () => {
      afterEach(() => run("set global sql_mode = 'STRICT_TRANS_TABLES'"));
      passesStoreConformance('MariaDB', {
        open: (options) => mysql(hostilePool())(options),
        watches: false,
        wipe: drop,
      });
    });

    test('a session that stops to commit later is set up again, and nothing is lost', async () => {
      const pool = poolAt(server().url);
      const sessions: mysql2.PoolConnection[] = [];
      pool.on('connection', (connection) => sessions.push(connection));
      const engine = await open(mysql(pool));
      const spoil = () => sessions.at(-1)!.query('set autocommit = 0');
      let view: View | null = null;
      for (let round = 0; round < 3; round += 1) {
        spoil();
        view = await engine.change(view, algorithm, [peerNamed(`m${round}`)]);
        spoil();
        await engine.renew('a');
        spoil();
        expect(await engine.expired([a, b])).toEqual(['b']);
        expect(await (await open(server().url)).read()).toEqual(view);
      }
      expect(sessions.length).toBe(1);
      sessions[0]!.query('start transaction');
      await engine.forget('a');
      expect(await (await open(server().url)).expired([a])).toEqual(['a']);
    });

    test('a session that never commits is reported', async () => {
      const pool = poolAt(server().url);
      pool.on('connection', (connection) => {
        const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
        connection.query = ((options: { sql: string }, ...rest: unknown[]) =>
          query(
            { ...options, sql: options.sql.replace('autocommit = 1', 'autocommit = 0') },
            ...rest,
          )) as never;
      });
      await expect(open(mysql(pool))).rejects.toThrow(
        /^MySQL at .*\/test does not commit: other code switches autocommit off in the session$/,
      );
    });

    test('a group holds one connection of the pool, and leaves the pool open', async () => {
      skipFor(lacksKeys);
      const pool = poolAt(server().url, { connectionLimit: 1 });
      const [one, other] = [
        await joinGroup('orders', { engine: mysql(pool) }),
        await joinGroup('orders', { engine: server().url }),
      ];
      await members(one, other);
      await handOn(one, other, server().url);
      expect((await pool.promise().query('select @@autocommit as one'))[0]).toEqual([{ one: 1 }]);
    });

    test('a pool that is used up is reported, and used when a connection is free', async () => {
      const pool = poolAt(server().url, { connectionLimit: 1 });
      const engine = await open(mysql(pool));
      const taken = poolAt(server().url, { connectionLimit: 1, waitForConnections: false });
      const connection = await taken.promise().getConnection();
      await expect(open(mysql(taken))).rejects.toThrow(
        /^MySQL at .*\/test fails: No connections available\.$/,
      );
      connection.release();
      await open(mysql(taken));
      expect(await engine.read()).toBe(null);
      await expect(open(mysql(pool))).rejects.toThrow(/: all connections of the pool are in use$/);
    });

    test('a value that is not a pool is refused in a sentence', () => {
      const cluster = mysql2.createPoolCluster();
      for (const wrong of [undefined, null, 'mysql://host', {}, cluster, cluster.of('*')])
        expect(() => mysql(wrong as never)).toThrow(
          'the client of the engine must be a pool of the package mysql2: mysql(createPool({ … }))',
        );
      cluster.end();
    });
  });

  describe('MariaDB as an engine', () => {
    let sessions: Connection[] = [];
    /** Ended when the test ends: it may hold rows and tables. */
    const session = async () => {
      const made = await mysql2Promise.createConnection(server().url);
      sessions.push(made);
      return made;
    };
    const endSessions = async () => {
      await Promise.all(sessions.map((each) => each.end()));
      sessions = [];
    };
    afterEach(async () => {
      await endSessions();
      await closeAll();
      await drop();
    });
    const options = { group: 'orders', leaseMs, unsafe: false, warn: () => {} };
    const ours = () => run("select id from information_schema.processlist where user = 'baton'");
    const user = (name: string, password = 'p') =>
      at((url) => {
        url.username = name;
        url.password = password;
      });
    const withUser = async (work: (address: string) => Promise<void>, more = '') => {
      await run(
        `create user baton@'127.0.0.1' identified by 'p' ${more}`,
        "grant all on test.* to baton@'127.0.0.1'",
      );
      try {
        await work(user('baton'));
      } finally {
        await closeAll();
        await run("drop user baton@'127.0.0.1'");
      }
    };

    test('is found by mariadb://, too, and is called so', async () => {
      const address = server().url.replace('mysql:', 'mariadb:');
      expect(await (await open(address)).read()).toBe(null);
      expect(await refusal(`${address}x`)).toMatch(/^MariaDB at 127\.0\.0\.1:\d+\/testx refuses user root: /);
    });

    test('creates its tables once, however many engines start at the same time', () =>
      createTablesOnce(server().url, drop));

    test('uses one connection', () =>
      withUser(async (address) => {
        const engine = await open(address);
        engine.watch(() => {});
        await Promise.all(Array.from({ length: 20 }, () => engine.read()));
        expect((await ours()).length).toBe(1);
        await engine.close();
        await soon(async () => (await ours()).length).toBe(0);
      }));

    test('continues when the server ends its connections', () =>
      withUser(async (address) => {
        const engine = await open(address);
        let view = await engine.change(null, algorithm, [a]);
        for (let round = 0; round < 3; round += 1) {
          for (const { id } of await ours()) await run(`kill ${id}`);
          await soon(async () => (await engine.read().catch(() => null))?.epoch).toBe(view.epoch);
          view = await engine.change(view, algorithm, [b]);
        }
      }));

    test('tells apart names that collations take for equal', async () => {
      const names = [
        'orders',
        'Orders',
        'orders ',
        'órders',
        'örders',
        'o\u0308rders',
        'ｏrders',
        '🔒',
        '🔑',
      ];
      const engines = await Promise.all(names.map((group) => open(server().url, { group })));
      const views = [];
      for (const engine of engines)
        views.push(await engine.change(null, algorithm, [peerNamed(`m${views.length}`)]));
      for (const [i, engine] of engines.entries()) {
        expect(await engine.read()).toEqual(views[i]);
        await engine.renew('a');
        expect(await engine.expired([a, peerNamed('A'), peerNamed('a ')])).toEqual(['A', 'a ']);
        await engine.forget('a');
      }
      const [row] = await run(
        "select convert(group_name using utf8mb4) as name from baton_views where group_name = 'örders'",
      );
      expect(row).toEqual({ name: 'örders' });
    });

    test('asks for many leases with few statements', async () => {
      const engine = await open(server().url);
      const peers = Array.from({ length: 300 }, (_, i) => peerNamed(`m${i}`));
      for (const { id } of peers.slice(0, 40)) await engine.renew(id);
      for (const count of [0, 1, 2, 3, 5, 41, 300])
        expect(await engine.expired(peers.slice(0, count))).toEqual(
          peers.slice(40, count).map(({ id }) => id),
        );
    });

    test('reads the key of a lease, not all leases', async () => {
      await open(server().url);
      await run(
        "insert into baton_leases select concat('g', seq div 9), seq, utc_timestamp() from seq_1_to_5000",
        'analyze table baton_leases',
      );
      const [, lease] = await run(
        "explain select member_id from (select 1 as one) as base left join baton_leases on group_name = 'g1' and member_id in ('a', 'b', 'c', 'd') and expires_at > utc_timestamp(6)",
      );
      expect(lease).toMatchObject({ key: 'PRIMARY', rows: '4' });
    });

    test('a renewal that is carried out late shortens no lease; a clock that was set back does', async () => {
      const engine = await open(server().url);
      await engine.renew('a');
      const set = (ahead: string) =>
        run(`update baton_leases set expires_at = utc_timestamp(6) + interval ${ahead}`);
      const remaining = async () => {
        const [row] = await run(
          'select timestampdiff(microsecond, utc_timestamp(6), expires_at) / 1000 as ms from baton_leases',
        );
        return Number(row!.ms);
      };
      expect(await remaining()).toBeGreaterThan(leaseMs - 1000);
      expect(await remaining()).toBeLessThan(leaseMs);
      await set(`${leaseMs + 5000} * 1000 microsecond`);
      await engine.renew('a');
      expect(await remaining()).toBeGreaterThan(leaseMs + 4000);
      await set('1 hour');
      await engine.renew('a');
      expect(await remaining()).toBeLessThan(leaseMs);
    });

    test('removes leases that expired long ago, and waits for no other lease', async () => {
      const engine = await open(server().url);
      await run(
        "insert into baton_leases select 'gone', seq, utc_timestamp() - interval 2 minute from seq_1_to_9",
      );
      await engine.renew('a');
      const other = await session();
      await other.beginTransaction();
      await other.query("select * from baton_leases where group_name = 'orders' for update");
      await engine.change(null, algorithm, [a]);
      await soon(() =>
        run("select convert(member_id using utf8mb4) as id from baton_leases where group_name = 'gone'"),
      ).toEqual([]);
      await endSessions();
    });

    test('of concurrent first records one is stored, also if that was a deadlock', async () => {
      const stores = await Promise.all(Array.from({ length: 4 }, () => openMysql(server().url, options)));
      const before = await Promise.all(stores.map((store) => store.read()));
      const other = await session();
      const deadlocks = async () => {
        const [row] = await run("show global status like 'innodb_deadlocks'");
        return Number(row!.Value);
      };
      const early = await deadlocks();
      await other.beginTransaction();
      await other.query("insert into baton_views values ('orders', 'x', 'x')");
      const swaps = stores.map((store, i) => store.swap(before[i]!, `${i}`));
      await pause(200); // all wait for the row
      await other.rollback();
      expect((await Promise.all(swaps)).filter(Boolean).length).toBe(1);
      expect(await deadlocks()).toBeGreaterThan(early);
      await endSessions();
      await Promise.all(stores.map((store) => store.close()));
    });

    test('a row that another session holds is waited for no longer than a third of the lease', async () => {
      const engine = await open(server().url, { leaseMs: 12_000 });
      await engine.renew('a');
      const other = await session();
      await other.beginTransaction();
      await other.query('select * from baton_leases for update');
      await expect(engine.renew('a')).rejects.toThrow(/^MySQL at .* fails: Lock wait timeout exceeded/);
      await other.query('rollback');
      await other.query('lock tables baton_leases write');
      await expect(engine.renew('a')).rejects.toThrow(
        /Lock wait timeout exceeded|has not answered for 4000 ms/,
      );
      await endSessions();
      await engine.renew('a');
    });

    test('without a record, the clock is read after that was found', async () => {
      const store = await openMysql(server().url, options);
      const other = await session();
      await other.query('lock tables baton_views write');
      const reading = store.read();
      await pause(300);
      await other.query('unlock tables');
      const unlocked = Date.now();
      expect((await reading).wallMs).toBeGreaterThan(unlocked - 50);
      await endSessions();
      await store.close();
    });

    test('a record that was read is kept when the server is killed, even if its writer had no answer yet', async () => {
      const [writer, ...readers] = await Promise.all(
        Array.from({ length: 4 }, () => openMysql(server().url, options)),
      );
      for (let round = 0; round < 10; round += 1) {
        let isOver = false;
        const seen: number[] = [];
        const work = async (turn: () => Promise<unknown>) => {
          while (!isOver) await turn().catch(() => (isOver = true));
        };
        const writing = work(async () => {
          const before = await writer!.read();
          await writer!.swap(before, `${Number(before.text) + 1}`);
        });
        const reading = readers.map((reader) =>
          work(async () => seen.push(Number((await reader.read()).text))),
        );
        await pause(100 + 10 * round);
        await server().kill();
        await Promise.all([writing, ...reading]);
        await server().again();
        await soon(async () => (await writer!.read().catch(() => null)) !== null).toBe(true);
        expect(Number((await writer!.read()).text)).toBeGreaterThanOrEqual(Math.max(...seen));
      }
      await Promise.all([writer!, ...readers].map((store) => store.close()));
    });

    test('a change of another process counts when it is on disk: one write for each', async () => {
      const [one, other] = [await openMysql(server().url, options), await openMysql(server().url, options)];
      const marks = () =>
        run("select cast(expires_at as char) as at from baton_leases where member_id like 'reader%'");
      expect(await one.swap(await one.read(), 'first')).toBe(true);
      await one.read();
      expect(await marks()).toEqual([]);
      await other.read();
      const first = await marks();
      expect(first.length).toBe(1);
      await other.read();
      expect(await marks()).toEqual(first);
      expect(await one.swap(await one.read(), 'second')).toBe(true);
      await other.read();
      expect(await marks()).not.toEqual(first);
      await Promise.all([one.close(), other.close()]);
    });

    test.each(['READ-UNCOMMITTED', 'READ-COMMITTED', 'REPEATABLE-READ', 'SERIALIZABLE', 'strict'])(
      'works on a server with %s transactions',
      async (level) => {
        await run(
          level === 'strict'
            ? 'set global innodb_snapshot_isolation = on'
            : `set global tx_isolation = '${level}'`,
        );
        try {
          await agree(server().url);
        } finally {
          await run("set global tx_isolation = 'REPEATABLE-READ', innodb_snapshot_isolation = off");
        }
      },
    );

    describe('refuses', () => {
      const forgets = (flaw: string) =>
        `MySQL at ${new URL(server().url).host}/test may forget what it has acknowledged: ${flaw}. Change that, or join with { unsafe: true }`;

      test('a server that may lose acknowledged writes, also one that was changed later, unless unsafe is set', async () => {
        const engine = await open(server().url);
        await run('set global innodb_flush_log_at_trx_commit = 2');
        try {
          const sentence = forgets('innodb_flush_log_at_trx_commit is 2, not 1');
          expect(await refusal(server().url)).toBe(sentence);
          await expect(engine.read()).rejects.toThrow(sentence);
          await expect(engine.expired([a])).rejects.toThrow(sentence);
          const unsafe = await open(server().url, { unsafe: true });
          expect((await unsafe.change(null, algorithm, [a])).members).toEqual([a]);
        } finally {
          await run('set global innodb_flush_log_at_trx_commit = 1');
        }
        expect((await engine.read())?.members).toEqual([a]);
      });

      test('a binary log that is not synced, and a replica, whether or not it takes writes', async () => {
        const primary = (await start('mariadb', {
          durable: true,
          settings: ['--log-bin', '--server-id=1'],
        }))!;
        const replica = (await start('mariadb', { durable: true, settings: ['--server-id=2'] }))!;
        try {
          expect(await refusal(primary.url)).toMatch(
            /may forget what it has acknowledged: log_bin is on, and sync_binlog is 0, not 1\. Change that/,
          );
          const [one, other] = await Promise.all(
            [primary, replica].map(({ url }) => mysql2Promise.createConnection(url)),
          );
          await one!.query('set global sync_binlog = 1');
          await (await open(primary.url)).change(null, algorithm, [a]);
          await open(replica.url);
          const { port } = new URL(primary.url);
          await other!.query(
            `change master to master_host = '127.0.0.1', master_port = ${port}, master_user = 'root', master_use_gtid = no, master_log_file = '', master_log_pos = 4`,
          );
          await other!.query('start slave');
          await soon(() => refusal(replica.url)).toMatch(
            /may forget what it has acknowledged: it replicates another server, whose changes may replace ours\. Change that/,
          );
          await other!.query('set global read_only = 1');
          expect(await refusal(replica.url, { unsafe: true })).toMatch(
            /^MySQL at 127\.0\.0\.1:\d+\/test takes no writes: read_only is on, as on a replica\. Give the address of the primary$/,
          );
          await Promise.all([one!.end(), other!.end()]);
        } finally {
          await closeAll();
          await Promise.all([primary.stop(), replica.stop()]);
        }
      });

      test('a node of Galera, and a server that never flushes', async () => {
        const settings = ['--wsrep-on=ON', '--binlog-format=ROW', '--innodb-flush-method=nosync'];
        const other = (await start('mariadb', { durable: true, settings }))!;
        try {
          expect(await refusal(other.url)).toMatch(
            /may forget what it has acknowledged: it is a node of a Galera cluster \(wsrep_on\), and innodb_flush_method is nosync\. Change that/,
          );
          const unsafe = await open(other.url, { unsafe: true });
          expect((await unsafe.change(null, algorithm, [a])).members).toEqual([a]);
        } finally {
          await closeAll();
          await other.stop();
        }
      });

      test('a server that became read-only later', () =>
        withUser(async (address) => {
          const [engine, root] = [await open(address), await open(server().url)];
          await engine.change(null, algorithm, [a]);
          await run('set global read_only = 1');
          try {
            const sentence = /takes no writes: read_only is on, .*address of the primary$/;
            await expect(engine.read()).rejects.toThrow(sentence);
            await expect(engine.expired([a])).rejects.toThrow(sentence);
            await expect(engine.renew('a')).rejects.toThrow(sentence);
            expect(await refusal(server().url, { unsafe: true })).toMatch(sentence);
            await expect(root.renew('a')).rejects.toThrow(sentence); // root may write all the same
          } finally {
            await run('set global read_only = 0');
          }
          await engine.renew('a');
        }));

      test('a user who may not create the tables, with the SQL to run; after that it works', async () => {
        await run(
          "create user 'Po''or'@'%' identified by 'p'",
          'create database other',
          "grant select on other.* to 'Po''or'@'%'",
        );
        const address = at((url) => {
          url.username = "Po'or";
          url.password = 'p';
          url.pathname = '/other';
        });
        try {
          const message = await refusal(address);
          expect(message).toMatch(
            /^the tables of batonjs are missing in MySQL at .*\/other and user Po'or may not create them: have an administrator run\n/,
          );
          await run('use other', message.slice(message.indexOf('\n')));
          const engine = await open(address);
          await engine.renew('a');
          await engine.change(await engine.read(), algorithm, [a]);
          await engine.groupKey();
          expect(await engine.expired([a, b])).toEqual(['b']);
          await engine.forget('a');
          await run("revoke insert on other.baton_leases from 'Po''or'@'%'");
          await expect(engine.renew('a')).rejects.toThrow(
            /refuses user Po'or: INSERT command denied to user .* Run\ngrant select, insert, update, delete on baton_views to 'Po''or'@'%'/,
          );
        } finally {
          await closeAll();
          await run('drop database other', "drop user 'Po''or'@'%'");
        }
      });

      test('a wrong password, an unknown database and none at all, in one sentence without the password', () =>
        withUser(async (address) => {
          const wrong = await refusal(user('baton', 'geheim'));
          expect(wrong).toMatch(
            /^MySQL at 127\.0\.0\.1:\d+\/test refuses user baton: Access denied for user 'baton'@'127\.0\.0\.1' \(using password: YES\)$/,
          );
          expect(wrong).not.toContain('geheim');
          const other = (path: string) =>
            at((url) => {
              url.pathname = path;
            }, address);
          expect(await refusal(other('/nowhere'))).toMatch(
            /\/nowhere refuses user baton: Access denied .* database 'nowhere'$/,
          );
          expect(await refusal(other('/'))).toMatch(
            / names no database: write mysql:\/\/user:password@host:3306\/database$/,
          );
        }));

      test('one more connection than the server allows, until one is free', () =>
        withUser(async (address) => {
          const engine = await open(address);
          await expect(open(address)).rejects.toThrow(
            /^MySQL at .* fails: User 'baton' has exceeded the 'max_user_connections' resource/,
          );
          await engine.close();
          await soon(async () => (await ours()).length).toBe(0);
          await open(address);
        }, 'with max_user_connections 1'));

      test('a table of another storage engine', async () => {
        await open(server().url);
        await run('alter table baton_leases engine = MyISAM');
        expect(await refusal(server().url)).toMatch(
          /^a table baton_… in MySQL at .*\/test is not a table of InnoDB: drop it$/,
        );
      });
    });
  });
});
