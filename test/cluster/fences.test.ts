import mysql, { type Connection } from 'mysql2/promise';
import pg from 'pg';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  fenceIn,
  fenceMysql,
  fencePostgres,
  fenceRedis,
  fenceTable,
  HttpFences,
  mysqlFenceTable,
} from '../../src/cluster/fences.ts';
import { Random } from '../../src/core/random.ts';
import { pause } from '../conformance/engine.ts';
import { withServer } from './database-server.ts';

const isSorted = (numbers: readonly number[]) =>
  numbers.every((number, i) => i === 0 || numbers[i - 1]! <= number);
const racers = 6;
const writes = 30;

/** The fences of each racer: increasing, some of them late. */
const fencesOf = (racer: number) => {
  const random = new Random(racer, 'fences');
  return Array.from({ length: writes }, (_, i) => 1000 + 10 * i + random.below(200));
};

/** Clients of one kind of database, with a table for what is written under a fence. */
interface FencedTable<C> {
  client(): Promise<C>;
  /** Writes in a transaction that checks the fence first. */
  write(by: C, fence: number, meanwhile?: () => Promise<void>): Promise<void>;
  /** Returns the fences of all writes, in order. */
  written(): Promise<number[]>;
}

function guardsTransactions<C>({ client, write, written }: FencedTable<C>): void {
  test('a late writer is refused, the same holder is not', async () => {
    const one = await client();
    await write(one, 7);
    await write(one, 7);
    await write(one, 2 ** 52);
    await expect(write(one, 8)).rejects.toMatchObject({
      code: 'fenced',
      message: "invoice-42 has been written under a higher fence than 8: the lock is another's",
    });
    expect(await written()).toEqual([7, 7, 2 ** 52]);
  });

  test('of two concurrent writers, the later waits for the earlier and is checked then', async () => {
    const [one, other] = [await client(), await client()];
    let outcome: unknown = 'waiting';
    let second = Promise.resolve();
    await write(one, 9, async () => {
      second = write(other, 8).then(
        () => {
          outcome = 'written';
        },
        ({ code }) => {
          outcome = code;
        },
      );
      await pause(100);
      expect(outcome).toBe('waiting');
    });
    await second;
    expect(outcome).toBe('fenced');
  });

  test('a fence that is rolled back was not seen', async () => {
    const one = await client();
    const failed = write(one, 9, async () => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await write(one, 8);
    expect(await written()).toEqual([8]);
  });

  test('with concurrent writers, fences increase', async () => {
    const all = await Promise.all(Array.from({ length: racers }, client));
    const refused = { count: 0 };
    await Promise.all(
      all.map(async (by, racer) => {
        for (const fence of fencesOf(racer))
          await write(by, fence).catch(({ code }) => {
            expect(code).toBe('fenced');
            refused.count += 1;
          });
      }),
    );
    const fences = await written();
    expect(isSorted(fences)).toBe(true);
    expect(fences.length + refused.count).toBe(racers * writes);
    expect(refused.count).toBeGreaterThan(0);
  });
}

describe('PostgreSQL', () => {
  withServer('postgresql', (server) => {
    let clients: pg.Client[] = [];
    const client = async () => {
      const made = new pg.Client(server().url);
      made.on('error', () => {}); // the server is stopped last
      clients.push(made);
      await made.connect();
      return made;
    };
    beforeEach(async () => {
      const one = await client();
      await one.query(fenceTable);
      await one.query('create table written (place serial, fence bigint)');
    });
    afterEach(async () => {
      const one = await client();
      await one.query('drop table baton_fences, written');
      await Promise.all(clients.map((each) => each.end()));
      clients = [];
    });

    async function write(by: pg.Client, fence: number, meanwhile = async () => {}): Promise<void> {
      await by.query('begin');
      try {
        await fencePostgres(by, 'invoice-42', fence);
        await meanwhile();
        await by.query('insert into written (fence) values ($1)', [fence]);
        await by.query('commit');
      } catch (error) {
        await by.query('rollback');
        throw error;
      }
    }
    const written = async (): Promise<number[]> => {
      const { rows } = await clients[0]!.query('select fence from written order by place');
      return rows.map(({ fence }) => Number(fence));
    };

    guardsTransactions({ client, write, written });

    test('reports a missing transaction', async () => {
      const pool = new pg.Pool({ connectionString: server().url });
      pool.on('error', () => {});
      await expect(fencePostgres(pool, 'invoice-42', 1)).rejects.toThrow(/begin one first/);
      await pool.end();
      expect((await clients[0]!.query('select from baton_fences')).rowCount).toBe(0);
    });

    test('reports a missing table, and other failures of the client, as a BatonError', async () => {
      const one = await client();
      await one.query('alter table baton_fences rename to gone');
      await expect(write(one, 1)).rejects.toMatchObject({
        ...{ name: 'BatonError', code: 'input', cause: { code: '42P01' } },
        message: 'fencePostgres needs the table baton_fences: run the SQL in fenceTable once',
      });
      await one.query('alter table gone rename to baton_fences');
      await one.query('begin');
      await one.query('select 1 / 0').catch(() => {});
      await expect(fencePostgres(one, 'invoice-42', 1)).rejects.toMatchObject({
        ...{ name: 'BatonError', code: 'unavailable', definite: false, cause: { code: '25P02' } },
        message: expect.stringMatching(/^checking the fence of invoice-42 in PostgreSQL failed: /),
      });
      await one.query('rollback');
    });
  });
});

describe('MySQL', () => {
  withServer('mariadb', (server) => {
    let clients: Connection[] = [];
    const client = async (options: mysql.ConnectionOptions = {}) => {
      const made = await mysql.createConnection({ uri: server().url, ...options });
      clients.push(made);
      return made;
    };
    beforeEach(async () => {
      const one = await client();
      await one.query(mysqlFenceTable);
      await one.query('create table written (place serial, fence bigint)');
    });
    afterEach(async () => {
      const one = await client();
      await Promise.all(clients.map((each) => each.rollback()));
      await one.query('drop table baton_fences, written');
      await Promise.all(clients.map((each) => each.end()));
      clients = [];
    });

    async function write(by: Connection, fence: number, meanwhile = async () => {}): Promise<void> {
      await by.beginTransaction();
      try {
        await fenceMysql(by, 'invoice-42', fence);
        await meanwhile();
        await by.query('insert into written (fence) values (?)', [fence]);
        await by.commit();
      } catch (error) {
        await by.rollback();
        throw error;
      }
    }
    const written = async (): Promise<number[]> => {
      const [rows] = await clients[0]!.query('select fence from written order by place');
      return (rows as { fence: number }[]).map(({ fence }) => Number(fence));
    };

    guardsTransactions({ client: () => client(), write, written });

    test('counts the rows that it found, with any setting of the client', async () => {
      const one = await client({ flags: ['-FOUND_ROWS'], rowsAsArray: true });
      for (const fence of [7, 7, 9]) await write(one, fence);
      await expect(write(one, 8)).rejects.toMatchObject({ code: 'fenced' });
      expect(await written()).toEqual([7, 7, 9]);
    });

    test('names of resources are told apart by each byte', async () => {
      const one = await client();
      await one.beginTransaction();
      for (const [i, name] of ['a', 'A', 'ä', 'a ', '🔒'].entries()) await fenceMysql(one, name, 9 - i);
      await one.commit();
    });

    test('reports a missing transaction; with autocommit off, each statement begins one', async () => {
      const pool = mysql.createPool(server().url);
      await expect(fenceMysql(pool, 'invoice-42', 1)).rejects.toThrow(/begin one first/);
      await pool.end();
      const one = await client();
      expect((await one.query('select * from baton_fences'))[0]).toEqual([]);
      await one.query('set autocommit = 0');
      await fenceMysql(one, 'invoice-42', 1);
      await one.rollback();
      expect((await one.query('select * from baton_fences'))[0]).toEqual([]);
    });

    test('reports a missing table, and other failures of the client, as a BatonError', async () => {
      const one = await client();
      await one.query('rename table baton_fences to gone');
      await expect(write(one, 1)).rejects.toMatchObject({
        ...{ name: 'BatonError', code: 'input', cause: { errno: 1146 } },
        message: 'fenceMysql needs the table baton_fences: run the SQL in mysqlFenceTable once',
      });
      await one.query('rename table gone to baton_fences');
      await expect(fenceMysql({ execute: async () => [{}] }, 'x', 1)).rejects.toMatchObject({
        code: 'unavailable',
      });
      one.destroy();
      await expect(fenceMysql(one, 'invoice-42', 1)).rejects.toMatchObject({
        ...{ name: 'BatonError', code: 'unavailable', definite: false },
        message: expect.stringMatching(/^checking the fence of invoice-42 in MySQL failed: /),
      });
      clients = clients.filter((each) => each !== one);
    });
  });
});

describe('Redis', () => {
  withServer('redis', (server) => {
    type Client = Awaited<ReturnType<typeof client>>;
    let clients: Client[] = [];
    async function client() {
      const made = createClient({ url: server().url });
      await made.connect();
      return made;
    }
    beforeEach(async () => {
      clients = await Promise.all(Array.from({ length: racers }, client));
    });
    afterEach(async () => {
      await clients[0]!.flushAll();
      for (const each of clients) each.destroy();
    });
    const write = (by: Client, fence: number) =>
      fenceRedis(by, 'report:fence', fence, ['RPUSH', 'report', String(fence)]);
    const written = async () => (await clients[0]!.lRange('report', 0, -1)).map(Number);

    test('a late writer is refused, the same holder is not', async () => {
      const [one, other] = clients as [Client, Client];
      expect(await write(one, 7)).toBe(1);
      expect(await write(other, 7)).toBe(2);
      expect(await write(other, 2 ** 52)).toBe(3);
      await expect(write(one, 8)).rejects.toMatchObject({ code: 'fenced' });
      expect(await written()).toEqual([7, 7, 2 ** 52]);
      expect(await fenceRedis(one, 'report:fence', 2 ** 52 + 1, ['GET', 'nothing'])).toBe(null);
      await expect(write(one, 2 ** 52)).rejects.toMatchObject({ code: 'fenced' });
    });

    test('with concurrent writers, fences increase', async () => {
      const outcomes = await Promise.all(
        clients.map(async (by, racer) => {
          let refused = 0;
          for (const fence of fencesOf(racer)) await write(by, fence).catch(() => (refused += 1));
          return refused;
        }),
      );
      const fences = await written();
      const refused = outcomes.reduce((sum, each) => sum + each, 0);
      expect(isSorted(fences)).toBe(true);
      expect(fences.length + refused).toBe(racers * writes);
      expect(refused).toBeGreaterThan(0);
    });

    test('a key that does not hold a fence refuses every writer', async () => {
      const [one] = clients as [Client];
      await one.set('report:fence', 'tomorrow');
      await expect(write(one, 1)).rejects.toMatchObject({ name: 'BatonError', code: 'unavailable' });
      expect(await written()).toEqual([]);
      expect(await one.get('report:fence')).toBe('tomorrow');
    });
  });
});

describe('HTTP', () => {
  test('a late request is refused, the same holder is not; so is one without a fence', () => {
    const fences = new HttpFences();
    const put = (fence: string | undefined, path = '/a') => fences.refusal(path, { 'baton-fence': fence });
    expect(put('7')).toBe(null);
    expect(put('7')).toBe(null);
    expect(put('9')).toBe(null);
    expect(put('8')).toBe(412);
    expect(put('1', '/b')).toBe(null);
    for (const odd of [undefined, '', '-1', '1.5', '1e3', '0x9', '9, 10', ' 9', '9007199254740993'])
      expect(put(odd)).toBe(428);
  });

  test('accepts headers of node:http and of fetch', () => {
    expect(fenceIn({ 'baton-fence': '12', get: 'x' })).toBe(12);
    expect(fenceIn(new Headers({ 'Baton-Fence': '12' }))).toBe(12);
    expect(fenceIn(new Headers())).toBe(null);
    expect(fenceIn({ 'baton-fence': ['1', '2'] })).toBe(null);
  });
});

test.each([-1, 1.5, Number.NaN, 2 ** 53])('%d is not a fence', async (fence) => {
  const never = () => Promise.reject(new Error('asked'));
  await expect(fenceMysql({ execute: never }, 'x', fence)).rejects.toMatchObject({ code: 'input' });
  await expect(fencePostgres({ query: never }, 'x', fence)).rejects.toMatchObject({ code: 'input' });
  await expect(fenceRedis({ sendCommand: never }, 'x', fence, [])).rejects.toMatchObject({ code: 'input' });
});
