// Session-level advisory locks, with prepared statements on one connection per process.
import { type Client, load } from './contender.js';

interface Connection {
  connect(): Promise<void>;
  query(statement: { name: string; text: string; values: readonly string[] }): Promise<unknown>;
  end(): Promise<void>;
}

export async function connect(where: string, run: string): Promise<Client> {
  const { Client: Connection } = load<{ Client: new (url: string) => Connection }>('pg');
  const connection = new Connection(where);
  await connection.connect();
  const call = (procedure: string, name: string) =>
    connection.query({
      name: procedure,
      text: `select ${procedure}(hashtextextended($1, 0))`,
      values: [`${run}:${name}`],
    });
  return {
    acquire: (name) => call('pg_advisory_lock', name),
    release: (_, name) => call('pg_advisory_unlock', name),
    close: () => connection.end(),
  };
}
