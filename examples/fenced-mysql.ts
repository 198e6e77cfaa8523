// A row that only the holder of a lock changes. A process that wakes up after it lost the lock, and writes all the same, is refused by the database.
//   node examples/fenced-mysql.ts mysql://user:password@host/database
import { join } from 'batonjs';
import { fenceMysql, mysqlFenceTable } from 'batonjs/fences';
import mysql from 'mysql2/promise';

const client = await mysql.createConnection(process.argv[2]!);
await using group = await join('invoices');
await using lock = await group.lock('invoice-42');

await client.query(mysqlFenceTable); // where you make your other tables
await client.query('create table if not exists invoices (id int primary key, total int not null)');
await client.query('insert ignore into invoices values (42, 0)');

await client.beginTransaction();
try {
  await fenceMysql(client, 'invoice-42', lock.fence);
  await client.query('update invoices set total = total + 1 where id = 42');
  await client.commit();
} catch (error) {
  await client.rollback();
  throw error;
} finally {
  await client.end();
}
