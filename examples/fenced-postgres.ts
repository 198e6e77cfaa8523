// A row that only the holder of a lock changes. Who wakes up after it lost the lock, and writes all the same, is refused by the database.
//   node examples/fenced-postgres.ts postgres://user@host/database
import { join } from 'batonjs';
import { fencePostgres, fenceTable } from 'batonjs/fences';
import pg from 'pg';

const client = new pg.Client(process.argv[2]);
await client.connect();
await using group = await join('invoices');
await using lock = await group.lock('invoice-42');

await client.query(fenceTable); // where you make your other tables
await client.query('create table if not exists invoices (id int primary key, total int not null)');
await client.query('insert into invoices values (42, 0) on conflict do nothing');

await client.query('begin');
try {
  await fencePostgres(client, 'invoice-42', lock.fence);
  await client.query('update invoices set total = total + 1 where id = 42');
  await client.query('commit');
} catch (error) {
  await client.query('rollback');
  throw error;
} finally {
  await client.end();
}
