// One session of MySQL or MariaDB: its settings, what it must be, and its errors as sentences.
import { InputError } from '../../../core/assert.ts';
import { unavailable } from '../../errors.ts';
import type { ClientConnection, ClientSession } from './client-connections.ts';

export const mostAttempts = 5;

/**
 * Undoes settings that code of the application may have made in the session. A statement must not wait at the server when its caller has given up. The
 * isolation level `read committed` would fail with `binlog_format = STATEMENT`.
 */
const settings = (waitSeconds: number) => [
  'rollback and no chain no release',
  'set names utf8mb4', // by itself: it does not apply to the rest of its statement
  `set autocommit = 1, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', sql_safe_updates = 0, sql_select_limit = default, sql_big_selects = 1, innodb_lock_wait_timeout = ${waitSeconds}, lock_wait_timeout = ${waitSeconds}`,
  'set session transaction isolation level repeatable read, read write',
];
const ownTimestamp = 'set timestamp = default';

// Read along with every query: a server may be demoted, or be configured otherwise, at any time.
export const state =
  "cast(concat_ws(' ', @@autocommit, @@global.read_only, @@global.innodb_flush_log_at_trx_commit, @@global.log_bin, @@global.sync_binlog) as binary)";

const surroundings = `show global variables where variable_name in ('wsrep_on', 'group_replication_group_name', 'innodb_flush_method')`;
const replication = `show global status like 'slave%_running'`;

export type MysqlRow = readonly (string | null)[];

/** The server as error messages name it, without the password. */
export interface MysqlServer {
  readonly server: string;
  readonly user: string;
}

/** The part of a connection of the package mysql2 that this engine uses. */
export interface ConnectedMysql {
  query(options: object, done: (error: unknown, result: unknown) => void): unknown;
  execute(options: object, done: (error: unknown, result: unknown) => void): unknown;
  on(event: 'error' | 'end', listener: (error: unknown) => void): unknown;
}

export interface ConnectionConfig extends MysqlServer {
  readonly unsafe: boolean;
  readonly waitSeconds: number;
}

export class MysqlConnection implements ClientConnection {
  readonly #session: ClientSession<ConnectedMysql>;
  readonly #config: ConnectionConfig;
  readonly #lost: () => void;
  #client: ConnectedMysql | null = null;
  #account = ''; // as grants name it
  #interrupt: (reason: Error) => void = () => {};

  constructor(session: ClientSession<ConnectedMysql>, config: ConnectionConfig, lost: () => void) {
    this.#session = session;
    this.#config = config;
    this.#lost = lost;
  }

  async start(): Promise<void> {
    this.#client = await this.#session.connect().catch((error) => {
      throw toUserError(error, this.#config, this.#account);
    });
    this.#client.on('error', this.#lost);
    this.#client.on('end', this.#lost);
    await this.#settle();
    this.#account = accountIn(await this.run('select current_user()'));
    this.#assertAlone(
      Object.fromEntries((await this.run(surroundings)) as [string, string][]),
      await this.run(replication),
    );
  }

  /** Runs a statement that the server prepares. Its first column is the state of the server. Returns the others. */
  async read(text: string, values: readonly string[]): Promise<readonly MysqlRow[]> {
    for (let attempt = 1; ; attempt += 1) {
      const rows = rowsIn(await this.#run('execute', text, values));
      const [autocommit, ...rest] = rows[0]![0]!.split(' ');
      if (isOn(autocommit)) {
        this.#assertDurablePrimary(rest);
        return rows.map(([, ...row]) => row);
      }
      await this.#settleAgain(attempt);
    }
  }

  /** Runs a statement that the server prepares. Returns the number of rows that it has changed and committed, on a primary. */
  async write(text: string, values: readonly string[]): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const { affectedRows, serverStatus } = (await this.#run('execute', text, values)) as MysqlResult;
      if ((serverStatus & (inTransaction | autocommits)) === autocommits) {
        await this.read(`select ${state}`, []); // a user with many privileges may also write to a replica
        return affectedRows;
      }
      await this.#settleAgain(attempt);
    }
  }

  /** Runs a statement without values. Returns its rows, if it has some. */
  async run(text: string): Promise<readonly MysqlRow[]> {
    const result = await this.#run('query', text);
    return Array.isArray(result) ? rowsIn(result) : [];
  }

  async createTables(tables: readonly string[]): Promise<void> {
    const { server, user } = this.#config;
    try {
      for (const text of tables) await this.run(text);
    } catch (error) {
      if (!hasCauseNumber(error, denied)) throw error;
      throw new InputError(
        `the tables of batonjs are missing in ${server} and user ${user} may not create them: ` +
          `have an administrator run\n${tables.join(';\n')};\n${grants(this.#account)}`,
      );
    }
  }

  end(): void {
    this.#interrupt(new Error('the connection has ended'));
    this.#session.end();
  }

  async #settle(): Promise<void> {
    for (const text of settings(this.#config.waitSeconds)) await this.run(text);
    try {
      await this.run(ownTimestamp);
    } catch (error) {
      if (!hasCauseNumber(error, timestampsDenied)) throw error; // then no other session may set one, either
    }
  }

  /** Code of the application may change a session of its pool when we already use it. The rollback undoes what was not committed. */
  async #settleAgain(attempt: number): Promise<void> {
    if (attempt === mostAttempts) {
      this.#lost();
      throw unavailable(
        `${this.#config.server} does not commit: other code switches autocommit off in the session`,
      );
    }
    await this.#settle();
  }

  /** Runs a statement again that a deadlock or a changed table has undone. */
  async #run(method: 'query' | 'execute', text: string, values?: readonly string[]): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#ask(method, text, values);
      } catch (error) {
        if (attempt === mostAttempts || !undone.includes(numberOf(error))) {
          if ((error as { fatal?: unknown } | null)?.fatal === true) this.#lost();
          throw toUserError(error, this.#config, this.#account);
        }
      }
  }

  /** The options override those of the application's pool. Values are bytes, and so are all columns. */
  #ask(method: 'query' | 'execute', text: string, values?: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      this.#client![method](
        {
          ...{ sql: text, values: values?.map((value) => Buffer.from(value)) },
          ...{ rowsAsArray: true, nestTables: false, namedPlaceholders: false },
          typeCast: (_: unknown, next: () => unknown) => next(),
        },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
    });
  }

  #assertAlone(found: Readonly<Record<string, string>>, replication: readonly MysqlRow[]): void {
    const flaws = [];
    if (isOn(found.wsrep_on)) flaws.push('it is a node of a Galera cluster (wsrep_on)');
    if (found.group_replication_group_name)
      flaws.push('it is configured for group replication (group_replication_group_name)');
    if (replication.some(([, value]) => !isOff(value)))
      flaws.push('it replicates another server, whose changes may replace ours');
    if (/^(no|little)sync$/i.test(found.innodb_flush_method ?? ''))
      flaws.push(`innodb_flush_method is ${found.innodb_flush_method}`);
    this.#refuse(flaws);
  }

  #assertDurablePrimary([readOnly, flush, log, sync]: readonly (string | undefined)[]): void {
    if (!isOff(readOnly)) throw takesNoWrites(this.#config);
    const flaws = [];
    if (flush !== '1' && flush !== '3') flaws.push(`innodb_flush_log_at_trx_commit is ${flush}, not 1`);
    if (isOn(log) && sync !== '1') flaws.push(`log_bin is on, and sync_binlog is ${sync}, not 1`);
    this.#refuse(flaws);
  }

  #refuse(flaws: readonly string[]): void {
    if (flaws.length > 0 && !this.#config.unsafe)
      throw new InputError(
        `${this.#config.server} may forget what it has acknowledged: ${flaws.join(', and ')}. Change that, or join with { unsafe: true }`,
      );
  }
}

interface MysqlResult {
  readonly affectedRows: number;
  readonly serverStatus: number;
}

// https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html: the flags of serverStatus
const inTransaction = 1;
const autocommits = 2;

const isOff = (value: string | null | undefined) => value === 'OFF' || value === '0';
const isOn = (value: string | null | undefined) => value === 'ON' || value === '1';

const rowsIn = (result: unknown): readonly MysqlRow[] =>
  (result as (Buffer | string | null)[][]).map((row) =>
    row.map((value) => (value === null ? null : value.toString())),
  );

// https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html https://mariadb.com/kb/en/mariadb-error-code-reference/
export const duplicate = 1062;
export const lockWaitTimeout = 1205;
export const noSuchTable = 1146;
const noDatabase = 1046;
/** Deadlock, record changed since the snapshot, table changed since the snapshot, statement to be prepared again. */
const undone: readonly unknown[] = [1213, 1020, 1412, 1615];
/** Wrong password, host or user not allowed, unknown database, account locked, password expired. */
const wrongAddress: readonly unknown[] = [1044, 1045, 1049, 1130, 1698, 1820, 1862, 3118, 4151];
const denied: readonly unknown[] = [1142, 1143, 1370, 1227]; // table, column, routine, privilege
const timestampsDenied: readonly unknown[] = [1227, 1290];
const readOnly: readonly unknown[] = [1036, 1792, 1836, 1874];
const optionPrevents = 1290; // also of options that have nothing to do with writes

const numberOf = (error: unknown): unknown => (error as { errno?: unknown } | null)?.errno;
export const hasCauseNumber = (error: unknown, numbers: readonly unknown[]): boolean =>
  numbers.includes(numberOf((error as Error).cause));

const grants = (account: string) =>
  ['baton_views', 'baton_leases', 'baton_keys']
    .map((table) => `grant select, insert, update, delete on ${table} to ${account}`)
    .join(';\n');

/** Quotes the account that a session belongs to: `baton@10.%` becomes `'baton'@'10.%'`. */
function accountIn([row]: readonly MysqlRow[]): string {
  const [, user, host] = /^(.*)@(.*)$/s.exec(row?.[0] ?? '') ?? ['', '', ''];
  return [user, host].map((part) => `'${part!.replace(/'/g, "''")}'`).join('@');
}

const takesNoWrites = ({ server }: MysqlServer) =>
  new InputError(
    `${server} takes no writes: read_only is on, as on a replica. Give the address of the primary`,
  );

/** Converts an error of the client to a sentence, with the error as its cause. */
function toUserError(error: unknown, names: MysqlServer, account: string): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  const { server, user } = names;
  const number = numberOf(error);
  const cause = { cause: error };
  if (readOnly.includes(number) || (number === optionPrevents && /read.?only/i.test(message)))
    return takesNoWrites(names);
  if (number === noDatabase)
    return new InputError(
      `the connection to ${server} names no database: write mysql://user:password@host:3306/database`,
      cause,
    );
  if (wrongAddress.includes(number))
    return new InputError(`${server} refuses user ${user}: ${message}`, cause);
  if (denied.includes(number))
    return new InputError(`${server} refuses user ${user}: ${message}. Run\n${grants(account)}`, cause);
  return unavailable(`${server} fails: ${message || code}`, error);
}
