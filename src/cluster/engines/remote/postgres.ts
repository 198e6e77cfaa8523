// PostgreSQL as an engine. Every operation is one statement and keeps nothing in a session, so that transaction poolers work.
// https://www.postgresql.org/docs/current/
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { InputError } from '../../../core/assert.ts';
import type { MemberId } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import type { Store, StoredRecord, StoreOptions } from '../store.ts';
import {
  type ClientConnection,
  type ClientSession,
  NotificationConnection,
  OwnClient,
  prepared,
  QueryConnection,
  type QueryConnectionOptions,
} from './client-connections.ts';
import { loadPg } from './client-package.ts';

const channel = 'baton_views';
const opensWithinMs = 10_000;

const tables = `create table if not exists baton_views (group_name text primary key, revision uuid not null, record text not null);
create table if not exists baton_leases (group_name text, member text, until timestamptz not null, primary key (group_name, member));
create table if not exists baton_keys (group_name text primary key, key text not null)`;

// Makes acknowledged writes durable, whatever is configured for the role, the database or the server. The setting is local to the
// transaction and applies to its commit.
const durably = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true) is not null`;

// Read along with every query, because a standby may be stale.
const state = `pg_is_in_recovery() as is_standby, current_setting('fsync') = 'on' as is_synced`;

const sql = {
  check: `select ${state}, to_regclass('baton_views') is not null
    and to_regclass('baton_leases') is not null and to_regclass('baton_keys') is not null as is_ready`,
  read: `select revision, record, extract(epoch from clock_timestamp())::float8 * 1000 as wall_ms, ${state}
    from (select) as always left join baton_views on group_name = $1`,
  first: `with swapped as (insert into baton_views (group_name, revision, record) select $1, $2, $3 where ${durably}
    on conflict do nothing returning group_name) select pg_notify('${channel}', group_name) from swapped`,
  swap: `with swapped as (update baton_views set revision = $2, record = $3
    where group_name = $1 and revision = $4 and ${durably} returning group_name)
    select pg_notify('${channel}', group_name) from swapped`,
  renew: `insert into baton_leases (group_name, member, until)
    select $1, $2, clock_timestamp() + $3 * interval '1 millisecond' where ${durably}
    on conflict (group_name, member) do update set until = excluded.until`,
  // Compares with the start of the statement: everything it reads was written before, so a slow query expires no lease early.
  living: `select ${state}, array(select member from baton_leases
    where group_name = $1 and member = any($2) and until > statement_timestamp()) as members`,
  key: 'select key from baton_keys where group_name = $1',
  newKey: `insert into baton_keys (group_name, key) select $1, $2 where ${durably} on conflict do nothing`,
  forget: 'delete from baton_leases where group_name = $1 and member = $2',
  // Skips locked rows, so that two processes that tidy up do not wait for each other.
  tidy: `delete from baton_leases where (group_name, member) in (select group_name, member from baton_leases
    where until < clock_timestamp() - interval '1 minute' for update skip locked)`,
};

type PostgresRow = Readonly<Record<string, unknown>>;

/** The server as error messages name it, without the password. */
export interface PostgresServer {
  readonly server: string;
  readonly user: string;
}

export async function openPostgres(address: string, options: StoreOptions): Promise<Store> {
  const { default: client } = await loadPg();
  const settings = { connectionString: address, fallback_application_name: 'baton', keepAlive: true };
  let names: PostgresServer;
  try {
    const { host, port, database = '', user = '' } = new client.Client(settings);
    names = { server: `PostgreSQL at ${host}:${port}/${database}`, user };
  } catch {
    throw new InputError(
      'the address of PostgreSQL cannot be read: write postgres://user:password@host:5432/database',
    );
  }
  return openStoreOf(options, names, (lost) => {
    const socket = new Socket();
    const own = new client.Client({ ...settings, stream: () => socket });
    own.on('error', lost); // also while it connects
    const connect = async () => {
      await own.connect();
      return own;
    };
    return new OwnClient(socket, connect, () => void own.end());
  });
}

/** Opens a store whose connections are those of `openSession`. */
export async function openStoreOf(
  options: StoreOptions,
  names: PostgresServer,
  openSession: (lost: () => void) => PostgresSession,
): Promise<Store> {
  const connect = (lost: () => void) => new PostgresConnection(openSession(lost), names, lost);
  return prepared(new PostgresStore(options, names, connect), (store) => store.prepare(opensWithinMs));
}

/** What this engine uses of a client of the package pg. */
export interface ConnectedPostgres {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  on(event: 'error' | 'end' | 'notification', listener: (message: never) => void): unknown;
}

type PostgresSession = ClientSession<ConnectedPostgres>;

class PostgresConnection implements ClientConnection {
  readonly #session: PostgresSession;
  readonly #names: PostgresServer;
  readonly #lost: () => void;
  #client: ConnectedPostgres | null = null;
  onNotification: (payload: string) => void = () => {};

  constructor(session: PostgresSession, names: PostgresServer, lost: () => void) {
    this.#session = session;
    this.#names = names;
    this.#lost = lost;
  }

  async start(): Promise<void> {
    try {
      this.#client = await this.#session.connect();
    } catch (error) {
      throw toUserError(error, this.#names);
    }
    this.#client.on('error', this.#lost);
    this.#client.on('end', this.#lost);
    this.#client.on('notification', ({ payload = '' }: { payload?: string }) => this.onNotification(payload));
  }

  /** Without values, `text` may hold several statements, which run as one transaction. */
  async query(text: string, values?: unknown[]): Promise<readonly PostgresRow[]> {
    try {
      return (await this.#client!.query(text, values)).rows as PostgresRow[];
    } catch (error) {
      throw toUserError(error, this.#names);
    }
  }

  end(): void {
    this.#session.end();
  }
}

class PostgresStore implements Store {
  readonly #options: StoreOptions;
  readonly #names: PostgresServer;
  readonly #connect: QueryConnectionOptions<PostgresConnection>['connect'];
  readonly #queries: QueryConnection<PostgresConnection>;
  #notifications: NotificationConnection<PostgresConnection> | null = null;

  constructor(
    options: StoreOptions,
    names: PostgresServer,
    connect: QueryConnectionOptions<PostgresConnection>['connect'],
  ) {
    this.#options = options;
    this.#names = names;
    this.#connect = connect;
    this.#queries = new QueryConnection({ server: names.server, connect, leaseMs: options.leaseMs });
  }

  /** Creates the tables unless they exist. */
  async prepare(timeoutMs?: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const [row] = await this.#queries.ask((connection) => connection.query(sql.check), timeoutMs);
      this.#assertDurablePrimary(row!);
      if (row!.is_ready) return;
      try {
        await this.#queries.ask((connection) => connection.query(tables), timeoutMs);
      } catch (error) {
        if (isDenied(error))
          throw new InputError(
            `the tables of batonjs are missing in ${this.#names.server} and user ${this.#names.user} may not create them: ` +
              `have somebody run\n${tables};\n${grant(this.#names)}`,
          );
        if (attempt > 4 || !hasCauseCode(error, alreadyThere)) throw error; // another process is creating them
      }
    }
  }

  async read(): Promise<StoredRecord> {
    const [row] = await this.#query(sql.read, [this.#options.group]);
    this.#assertDurablePrimary(row!);
    const { record, revision, wall_ms } = row as { record: string; revision: string; wall_ms: number };
    return { text: record, revision: revision ?? '', wallMs: wall_ms, precisionMs: 0 };
  }

  async swap(before: StoredRecord, text: string): Promise<boolean> {
    const values = [this.#options.group, randomUUID(), text];
    const swapped = await (before.text === null
      ? this.#tryQuery(sql.first, values)
      : this.#tryQuery(sql.swap, [...values, before.revision]));
    const isSwapped = swapped.length > 0;
    if (isSwapped) this.#query(sql.tidy, []).catch(() => {}); // the next change tidies up
    return isSwapped;
  }

  /** The key is read by a statement of its own, which sees what another process has inserted meanwhile. */
  async keyOr(key: string): Promise<string> {
    for (;;) {
      const [row] = await this.#query(sql.key, [this.#options.group]);
      if (row !== undefined) return row.key as string;
      await this.#tryQuery(sql.newKey, [this.#options.group, key]);
    }
  }

  watch(changed: () => void): void {
    const listen = async (connection: PostgresConnection) => {
      connection.onNotification = (group) => {
        if (group === this.#options.group) changed();
      };
      await connection.query(`listen ${channel}`);
    };
    this.#notifications = new NotificationConnection(this.#connect, listen, changed);
  }

  async renew(id: MemberId): Promise<void> {
    await this.#query(sql.renew, [this.#options.group, id, this.#options.leaseMs]);
  }

  async living(ids: readonly MemberId[]): Promise<readonly MemberId[]> {
    const [row] = await this.#query(sql.living, [this.#options.group, ids]);
    this.#assertDurablePrimary(row!);
    return row!.members as MemberId[];
  }

  async forget(id: MemberId): Promise<void> {
    await this.#query(sql.forget, [this.#options.group, id]);
  }

  async close(): Promise<void> {
    this.#notifications?.close();
    this.#queries.close();
  }

  /** Creates the tables again if they were dropped. */
  async #query(text: string, values: unknown[]): Promise<readonly PostgresRow[]> {
    const ask = () => this.#queries.ask((connection) => connection.query(text, values));
    try {
      return await ask();
    } catch (error) {
      if (!hasCauseCode(error, [undefinedTable])) throw error;
      await this.prepare();
      return ask();
    }
  }

  /** Returns nothing if a concurrent transaction won, which a strict isolation level reports as an error. */
  async #tryQuery(text: string, values: unknown[]): Promise<readonly PostgresRow[]> {
    try {
      return await this.#query(text, values);
    } catch (error) {
      if (hasCauseCode(error, [serializationFailure])) return [];
      throw error;
    }
  }

  #assertDurablePrimary({ is_standby, is_synced }: PostgresRow): void {
    if (is_standby) throw readOnly(this.#names);
    if (!is_synced && !this.#options.unsafe)
      throw new InputError(
        `${this.#names.server} runs with fsync = off and may forget what it has acknowledged: set it on, or join with { unsafe: true }`,
      );
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const undefinedTable = '42P01';
const serializationFailure = '40001';
const insufficientPrivilege = '42501';
const alreadyThere = ['42P07', '42710', '23505', 'XX000']; // also reported for rows of the system catalogue that changed concurrently
const wrongAddress = ['28P01', '28000', '3D000']; // wrong password, host or user not allowed, unknown database
const readOnlyTransaction = '25006';
const noTable = '3F000'; // no schema to create in

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
const hasCauseCode = (error: unknown, codes: readonly string[]): boolean => {
  const { cause } = error as Error;
  return codes.includes(codeOf(cause) as string);
};
const isDenied = (error: unknown) => hasCauseCode(error, [insufficientPrivilege, noTable]);

const grant = ({ user }: PostgresServer) =>
  `grant select, insert, update, delete on baton_views, baton_leases, baton_keys to ${/^[a-z_][a-z0-9_]*$/.test(user) ? user : `"${user}"`}`;

const readOnly = ({ server }: PostgresServer) =>
  new InputError(
    `${server} takes no writes: it is a standby, or default_transaction_read_only is on. Give the address of the primary`,
  );

/** Converts an error of the client to a sentence, with the error as its cause. */
function toUserError(error: unknown, names: PostgresServer): Error {
  const { message } = error as Error;
  const code = codeOf(error) as string;
  if (code === readOnlyTransaction) return readOnly(names);
  if (/client password must be/.test(message))
    // thrown by the client package
    return new InputError(
      `${names.server} asks user ${names.user} for a password: write postgres://user:password@host:5432/database, or set PGPASSWORD`,
      { cause: error },
    );
  if (wrongAddress.includes(code))
    return new InputError(`${names.server} refuses user ${names.user}: ${message}`, { cause: error });
  if (code === insufficientPrivilege)
    return new InputError(`${names.server} refuses user ${names.user}: ${message}. Run ${grant(names)}`, {
      cause: error,
    });
  return unavailable(`${names.server} fails: ${message || code}`, error);
}
