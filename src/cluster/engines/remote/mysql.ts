// MySQL and MariaDB as an engine. Every change is one statement, which the server prepares and commits by itself.
// https://dev.mysql.com/doc/refman/8.4/en/ https://mariadb.com/kb/en/documentation/
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { InputError } from '../../../core/assert.ts';
import type { MemberId } from '../../../member/index.ts';
import { operationTimeoutMs, type Store, type StoredRecord, type StoreOptions } from '../store.ts';
import {
  type ClientSession,
  OwnClient,
  prepared,
  QueryConnection,
  type QueryConnectionOptions,
} from './client-connections.ts';
import { loadMysql2 } from './client-package.ts';
import {
  type ConnectedMysql,
  duplicate,
  hasCauseNumber,
  lockWaitTimeout,
  MysqlConnection,
  type MysqlRow,
  type MysqlServer,
  mostAttempts,
  noSuchTable,
  state,
} from './mysql-connection.ts';

const defaultPort = 3306;
const opensWithinMs = 10_000;

// Names are bytes: every collation of both servers either folds letters or ignores trailing spaces.
const tables = [
  'create table if not exists baton_views (group_name varbinary(600) primary key, revision varbinary(36) not null, record longblob not null) engine = InnoDB',
  'create table if not exists baton_leases (group_name varbinary(600), member_id varbinary(64), expires_at datetime(6) not null, primary key (group_name, member_id)) engine = InnoDB',
  'create table if not exists baton_keys (group_name varbinary(600) primary key, group_key varbinary(200) not null) engine = InnoDB',
];

// utc_timestamp is the start of the statement, sysdate the moment of its evaluation: after the row of a primary key was looked up.
const microseconds = "cast(timestampdiff(microsecond, timestamp'1970-01-01 00:00:00', sysdate(6)) as binary)";

/** Returns a row in any case, with nulls where the condition holds nowhere. */
const rowsOf = (columns: string, table: string, condition: string) =>
  `select ${state}, ${columns} from (select 1 as one) as base left join ${table} on ${condition}`;

const sql = {
  check: `select ${state}, cast(count(*) as binary) from information_schema.tables
    where table_schema = database() and table_name in ('baton_views', 'baton_leases', 'baton_keys') and engine = 'InnoDB'`,
  clock: `select ${state}, ${microseconds}`,
  read: rowsOf(`${microseconds}, revision, record`, 'baton_views', 'group_name = ?'),
  first: 'insert into baton_views (group_name, revision, record) values (?, ?, ?)',
  swap: 'update baton_views set revision = ?, record = ? where group_name = ? and revision = ?',
  // A renewal that was given up may be carried out after a later one, and does not shorten its lease. A clock that was set back does.
  renew: (micros: number) => {
    const until = `utc_timestamp(6) + interval ${micros} microsecond`;
    return `insert into baton_leases (group_name, member_id, expires_at) values (?, ?, ${until})
    on duplicate key update expires_at =
      if(expires_at > ${until} and expires_at < ${until} + interval 10 second, expires_at + interval 1 microsecond, ${until})`;
  },
  // Compares with the start of the statement: everything it reads was written before, so a slow query expires no lease early.
  living: (count: number) =>
    rowsOf(
      'member_id',
      'baton_leases',
      `group_name = ? and member_id in (${Array(count).fill('?').join(', ')}) and expires_at > utc_timestamp(6)`,
    ),
  // Changes a row in any case.
  mark: `insert into baton_leases (group_name, member_id, expires_at) values (?, ?, utc_timestamp(6))
    on duplicate key update expires_at = expires_at - interval 1 microsecond`,
  forget: 'delete from baton_leases where group_name = ? and member_id = ?',
  key: rowsOf('group_key', 'baton_keys', 'group_name = ?'),
  newKey: 'insert into baton_keys (group_name, group_key) values (?, ?)',
  // Looks without locks, and then removes row by row: a delete by time would lock the leases of all members.
  old: `${rowsOf('group_name, member_id', 'baton_leases', 'expires_at < utc_timestamp(6) - interval 1 minute')} limit 50`,
  tidy: `delete from baton_leases
    where group_name = ? and member_id = ? and expires_at < utc_timestamp(6) - interval 1 minute`,
};

export async function openMysql(address: string, options: StoreOptions): Promise<Store> {
  const { createConnection } = (await loadMysql2()).default;
  const names = namesIn(address);
  return openStoreAt(options, names, (lost) => {
    const socket = new Socket().setNoDelay(true).setKeepAlive(true);
    socket.on('close', lost);
    const stream = ({ config }: { config: { socketPath?: string; host: string; port: number } }) =>
      config.socketPath ? socket.connect(config.socketPath) : socket.connect(config.port, config.host);
    const connect = () =>
      new Promise<ConnectedMysql>((resolve, reject) => {
        const own = createConnection({ uri: address, stream });
        own.on('error', reject); // also later: a connection without a listener would end the process
        own.connect((error) => (error === null ? resolve(own as unknown as ConnectedMysql) : reject(error)));
      });
    return new OwnClient(socket, connect, (own) => (own as unknown as { end(): void }).end());
  });
}

function namesIn(address: string): MysqlServer {
  try {
    const { protocol, hostname, port, pathname, username } = new URL(address);
    if (hostname === '') throw new Error('no host');
    const title = protocol === 'mariadb:' ? 'MariaDB' : 'MySQL';
    const server = `${title} at ${hostname}:${port || defaultPort}${decodeURIComponent(pathname)}`;
    return { server, user: decodeURIComponent(username) };
  } catch {
    throw new InputError(
      'the address of MySQL cannot be read: write mysql://user:password@host:3306/database, with special characters as %XX',
    );
  }
}

/** Opens a store whose connections are those of `openSession`. */
export async function openStoreAt(
  options: StoreOptions,
  names: MysqlServer,
  openSession: (lost: () => void) => ClientSession<ConnectedMysql>,
): Promise<Store> {
  const waitSeconds = Math.max(1, Math.ceil(operationTimeoutMs(options.leaseMs) / 1000) - 1); // so that the server gives the reason
  const config = { ...names, unsafe: options.unsafe, waitSeconds };
  const connect = (lost: () => void) => new MysqlConnection(openSession(lost), config, lost);
  return prepared(new MysqlStore(options, names, connect), (store) => store.prepare(opensWithinMs));
}

class MysqlStore implements Store {
  readonly #options: StoreOptions;
  readonly #names: MysqlServer;
  readonly #queries: QueryConnection<MysqlConnection>;
  readonly #reader = `reader ${randomUUID()}`;
  readonly #renewal: string;
  #durable = ''; // the newest revision that is known to be on disk

  constructor(
    options: StoreOptions,
    names: MysqlServer,
    connect: QueryConnectionOptions<MysqlConnection>['connect'],
  ) {
    this.#options = options;
    this.#names = names;
    this.#renewal = sql.renew(Math.round(options.leaseMs * 1000));
    this.#queries = new QueryConnection({ server: names.server, connect, leaseMs: options.leaseMs });
  }

  /** Creates the tables unless they exist. */
  async prepare(timeoutMs?: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const [row] = await this.#queries.ask((connection) => connection.read(sql.check, []), timeoutMs);
      if (row![0] === `${tables.length}`) return;
      if (attempt === mostAttempts)
        throw new InputError(`a table baton_… in ${this.#names.server} is not a table of InnoDB: drop it`);
      try {
        await this.#queries.ask((connection) => connection.createTables(tables), timeoutMs);
      } catch (error) {
        if (!hasCauseNumber(error, [lockWaitTimeout])) throw error; // another process is creating them
      }
    }
  }

  async read(): Promise<StoredRecord> {
    const [row] = await this.#read(sql.read, [this.#options.group]);
    const [micros, revision, text] = row as [string, string | null, string | null];
    if (revision === null || text === null) {
      const [later] = await this.#read(sql.clock, []);
      return { text: null, revision: '', wallMs: Number(later![0]) / 1000, precisionMs: 0 };
    }
    if (revision !== this.#durable) {
      await this.#makeDurable();
      this.#durable = revision;
    }
    return { text, revision, wallMs: Number(micros) / 1000, precisionMs: 0 };
  }

  async swap(before: StoredRecord, text: string): Promise<boolean> {
    const { group } = this.#options;
    const revision = randomUUID();
    const isSwapped =
      before.text === null
        ? await this.#insert(sql.first, [group, revision, text])
        : (await this.#write(sql.swap, [revision, text, group, before.revision])) > 0;
    if (isSwapped) {
      this.#durable = revision;
      this.#tidy().catch(() => {}); // the next change tidies up
    }
    return isSwapped;
  }

  async keyOr(key: string): Promise<string> {
    const { group } = this.#options;
    for (;;) {
      const [row] = await this.#read(sql.key, [group]);
      const found = row![0] ?? null;
      if (found !== null) {
        await this.#makeDurable();
        return found;
      }
      if (await this.#insert(sql.newKey, [group, key])) return key;
    }
  }

  /** The server tells nobody. Members ask, and tell each other: the messages of a new view have its epoch. */
  watch(): void {}

  async renew(id: MemberId): Promise<void> {
    await this.#write(this.#renewal, [this.#options.group, id]);
  }

  /** Asks for a power of two of ids, so that there are few statements to prepare. */
  async living(ids: readonly MemberId[]): Promise<readonly MemberId[]> {
    const count = 2 ** Math.ceil(Math.log2(Math.max(ids.length, 1)));
    const asked = Array.from({ length: count }, (_, i) => ids[i] ?? '');
    const rows = await this.#read(sql.living(count), [this.#options.group, ...asked]);
    return rows.map(([id]) => id ?? null).filter((id) => id !== null);
  }

  async forget(id: MemberId): Promise<void> {
    await this.#write(sql.forget, [this.#options.group, id]);
  }

  async close(): Promise<void> {
    this.#queries.close();
  }

  /**
   * InnoDB shows a change to other sessions before it is on disk. A process that acted on it then would act on a change that a killed server
   * forgets. The log is written in order: when a later change of ours is on disk, all changes that we have seen are.
   */
  async #makeDurable(): Promise<void> {
    await this.#write(sql.mark, [this.#options.group, this.#reader]);
  }

  async #tidy(): Promise<void> {
    const rows = await this.#read(sql.old, []);
    for (const [group, id] of rows) if (group && id) await this.#write(sql.tidy, [group, id]);
  }

  /** Returns false if there is a row of this key. */
  async #insert(text: string, values: readonly string[]): Promise<boolean> {
    try {
      return (await this.#write(text, values)) > 0;
    } catch (error) {
      if (hasCauseNumber(error, [duplicate])) return false;
      throw error;
    }
  }

  #read(text: string, values: readonly string[]): Promise<readonly MysqlRow[]> {
    return this.#withTables((connection) => connection.read(text, values));
  }

  #write(text: string, values: readonly string[]): Promise<number> {
    return this.#withTables((connection) => connection.write(text, values));
  }

  /** Creates the tables again if they were dropped. */
  async #withTables<T>(question: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#queries.ask(question);
    } catch (error) {
      if (!hasCauseNumber(error, [noSuchTable])) throw error;
      await this.prepare();
      return this.#queries.ask(question);
    }
  }
}
