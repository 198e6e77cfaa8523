// Fencing for resources that locks protect. A resource remembers the highest fence it has seen and refuses lower ones. An equal fence
// comes from the same holder.
import { BatonError, unavailable } from './errors.ts';
import { describeValue } from './group/arguments.ts';

const refuse = (what: string, value: unknown): never => {
  throw new BatonError('input', `${what}, not ${describeValue(value)}`);
};

function checkFence(fence: number): void {
  if (!Number.isSafeInteger(fence) || fence < 0) refuse('a fence is a whole number, as lock.fence is', fence);
}

function checkText(what: string, value: unknown): void {
  if (typeof value !== 'string') refuse(`${what} is a string`, value);
}

function checkClient(client: unknown, method: string): void {
  if (typeof Object(client)[method] !== 'function') refuse(`a client has the method ${method}`, client);
}

/** Awaits an answer of the user's client. Without an answer it is unknown whether the server carried out the operation. */
async function answerOf<T>(asked: () => Promise<T>, doing: string): Promise<T> {
  try {
    return await asked();
  } catch (cause) {
    const { message = String(cause) }: Partial<Error> = Object(cause);
    throw unavailable(`${doing} failed: ${message}`, cause);
  }
}

const fencedOut = (resource: string, fence: number) =>
  new BatonError(
    'fenced',
    `${resource} has been written under a higher fence than ${fence}: the lock is another's`,
  );

/** SQL that creates the table of {@link fencePostgres}. Run it once, with your other migrations. */
export const fenceTable =
  'create table if not exists baton_fences (resource text primary key, fence bigint not null)';

const fenceStatement = `insert into baton_fences as seen (resource, fence) values ($1, $2)
on conflict (resource) do update set fence = excluded.fence where seen.fence <= excluded.fence returning fence`;

/** A client of the package `pg`, or one with the same method. */
export interface PostgresClient {
  /** Runs one statement. Returns a promise of its rows. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Checks the fence in the current transaction. Call it before the transaction writes. Until the transaction ends, other calls for the same
 * resource wait. See [fences](docs/fences.md#postgresql).
 *
 * @throws {BatonError} `fenced` when the resource has seen a higher fence. Roll back.
 * @throws {BatonError} `input` when no transaction has begun, the table is missing, or an argument is wrong.
 * @throws {BatonError} `unavailable` when the client fails. Its error is the `cause`.
 *
 * @example
 * import type { Lock } from 'batonjs';
 * import { fencePostgres, type PostgresClient } from 'batonjs/fences';
 *
 * async function pay(client: PostgresClient, lock: Lock): Promise<void> {
 *   await client.query('begin');
 *   await fencePostgres(client, 'invoice-42', lock.fence);
 *   await client.query('update invoices set paid = true where id = 42');
 *   await client.query('commit');
 * }
 */
export async function fencePostgres(client: PostgresClient, resource: string, fence: number): Promise<void> {
  checkClient(client, 'query');
  checkText('a resource', resource);
  checkFence(fence);
  const doing = `checking the fence of ${resource} in PostgreSQL`;
  await mustBeInTransaction(client, doing);
  const answer = await answerOf(() => client.query(fenceStatement, [resource, fence]), doing);
  const { rows }: Partial<typeof answer> = Object(answer);
  if (!Array.isArray(rows)) throw unavailable(`${doing} failed: the client returned no rows`);
  if (rows.length === 0) throw fencedOut(resource, fence);
}

const mistakes: Readonly<Record<string, string>> = {
  '25P01': 'fencePostgres guards the transaction that it is called in: begin one first, with the same client',
  '42P01': 'fencePostgres needs the table baton_fences: run the SQL in fenceTable once',
};

/** Takes the table lock that the next statement needs anyway. PostgreSQL allows this only in a transaction. */
async function mustBeInTransaction(client: PostgresClient, doing: string): Promise<void> {
  try {
    await answerOf(() => client.query('lock table baton_fences in row exclusive mode'), doing);
  } catch (error) {
    const { cause } = error as BatonError;
    const mistake = mistakes[Object(cause).code];
    throw mistake === undefined ? error : new BatonError('input', mistake, { cause });
  }
}

/** SQL that creates the table of {@link fenceMysql}. Run it once, with your other migrations. */
export const mysqlFenceTable =
  'create table if not exists baton_fences (resource varbinary(600) primary key, fence bigint not null, checks bigint not null) engine = InnoDB';

// `checks` changes with every statement, so the number of affected rows is that of rows that were found, whatever the client counts.
const fenceRow = `insert into baton_fences (resource, fence, checks) values (?, 0, 0) on duplicate key update checks = checks + 1`;
const raiseFence = 'update baton_fences set fence = ?, checks = checks + 1 where resource = ? and fence <= ?';

/** A connection of `mysql2/promise`, or a client with the same method. */
export interface MysqlClient {
  /** Runs one prepared statement. Returns a promise of its result, in an array. */
  execute(text: string, values?: (number | Uint8Array)[]): Promise<readonly [unknown, ...unknown[]]>;
}

/**
 * Checks the fence in the current transaction. Call it first in the transaction. Until the transaction ends, other calls for the same
 * resource wait. See [fences](docs/fences.md#mysql-and-mariadb).
 *
 * @throws {BatonError} `fenced` when the resource has seen a higher fence. Roll back.
 * @throws {BatonError} `input` when no transaction has begun, the table is missing, or an argument is wrong.
 * @throws {BatonError} `unavailable` when the client fails. Its error is the `cause`.
 *
 * @example
 * import type { Lock } from 'batonjs';
 * import { fenceMysql, type MysqlClient } from 'batonjs/fences';
 *
 * async function pay(client: MysqlClient, lock: Lock): Promise<void> {
 *   await client.execute('start transaction');
 *   await fenceMysql(client, 'invoice-42', lock.fence);
 *   await client.execute('update invoices set paid = true where id = 42');
 *   await client.execute('commit');
 * }
 */
export async function fenceMysql(client: MysqlClient, resource: string, fence: number): Promise<void> {
  checkClient(client, 'execute');
  checkText('a resource', resource);
  checkFence(fence);
  const doing = `checking the fence of ${resource} in MySQL`;
  const run = async (text: string, values: (number | Uint8Array)[] = []) => {
    const answer = await answerOf(() => client.execute(text, values), doing);
    return (Array.isArray(answer) ? Object(answer[0]) : {}) as Record<string, unknown>;
  };
  if (isAutocommitted((await run('do 0')).serverStatus))
    throw new BatonError(
      'input',
      'fenceMysql guards the transaction that it is called in: begin one first, with the same client',
    );
  const name = Buffer.from(resource);
  try {
    await run(fenceRow, [name]);
  } catch (error) {
    const { cause } = error as BatonError;
    if (Object(cause).errno !== 1146) throw error;
    throw new BatonError(
      'input',
      'fenceMysql needs the table baton_fences: run the SQL in mysqlFenceTable once',
      { cause },
    );
  }
  const { affectedRows } = await run(raiseFence, [fence, name, fence]);
  if (affectedRows === 0) throw fencedOut(resource, fence);
  if (affectedRows !== 1) throw unavailable(`${doing} failed: the client returned no number of rows`);
}

/** The flags of the server: 1 in a transaction, 2 if statements outside of one are committed at once. */
const isAutocommitted = (status: unknown) => (Number(status) & 3) === 2;

const fenceScript = `local seen = redis.call('GET', KEYS[1])
if seen and tonumber(seen) > tonumber(ARGV[1]) then return { 0 } end
redis.call('SET', KEYS[1], ARGV[1])
return { 1, redis.call(unpack(ARGV, 2)) }`;

/** A client of the package `redis`, or one with the same method. */
export interface RedisClient {
  /** Sends one command. Returns a promise of the reply. */
  sendCommand(args: string[]): Promise<unknown>;
}

/**
 * Runs a command unless `key` has seen a higher fence. Returns the reply. See [fences](docs/fences.md#redis).
 *
 * @param key the key that remembers the highest fence
 * @throws {BatonError} `fenced` when `key` has seen a higher fence. The command was not run.
 * @throws {BatonError} `input` when an argument is wrong.
 * @throws {BatonError} `unavailable` when the client fails. Its error is the `cause`. The command may have been run.
 *
 * @example
 * import type { Lock } from 'batonjs';
 * import { fenceRedis, type RedisClient } from 'batonjs/fences';
 *
 * const publish = (client: RedisClient, lock: Lock, text: string) =>
 *   fenceRedis(client, 'summary:fence', lock.fence, ['SET', 'summary', text]);
 */
export async function fenceRedis(
  client: RedisClient,
  key: string,
  fence: number,
  command: readonly string[],
): Promise<unknown> {
  checkClient(client, 'sendCommand');
  checkText('a key', key);
  checkFence(fence);
  if (!Array.isArray(command) || command.length === 0 || command.some((word) => typeof word !== 'string'))
    refuse("a command is a list of strings, like ['SET', 'a', '1']", command);
  const doing = `running ${command[0]} under a fence in Redis`;
  const asked = () => client.sendCommand(['EVAL', fenceScript, '1', key, String(fence), ...command]);
  const answer = await answerOf(asked, doing);
  if (!Array.isArray(answer))
    throw unavailable(`${doing} failed: the client returned ${describeValue(answer)}`);
  const [isRun, reply] = answer;
  if (isRun !== 1) throw fencedOut(key, fence);
  return reply;
}

/**
 * The HTTP header that carries a fence.
 *
 * @example
 * import type { Lock } from 'batonjs';
 * import { fenceHeader } from 'batonjs/fences';
 *
 * const put = (url: string, body: string, lock: Lock) =>
 *   fetch(url, { method: 'PUT', body, headers: { [fenceHeader]: String(lock.fence) } });
 */
export const fenceHeader = 'Baton-Fence';

/** Headers of `fetch`, or an object with the same method. */
export interface FetchHeaders {
  /** Returns the value of a header; null if it is missing. */
  get(name: string): string | null;
}

/** Headers of `fetch`, or of `node:http`, where names are in lower case. */
export type AnyHeaders = FetchHeaders | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Returns the fence of a request; null if it has none, or an invalid one.
 *
 * @throws {BatonError} `input` when the headers are not an object.
 *
 * @example
 * import { fenceIn } from 'batonjs/fences';
 *
 * fenceIn({ 'baton-fence': '1048577' }); // → 1048577
 * fenceIn(new Headers()); // → null
 */
export function fenceIn(headers: AnyHeaders): number | null {
  if (typeof headers !== 'object' || headers === null) refuse('headers are an object', headers);
  const found = isOfFetch(headers) ? headers.get(fenceHeader) : headers[fenceHeader.toLowerCase()];
  const fence = typeof found === 'string' && /^\d{1,16}$/.test(found) ? Number(found) : Number.NaN;
  return Number.isSafeInteger(fence) ? fence : null;
}

const isOfFetch = (headers: AnyHeaders): headers is FetchHeaders => typeof headers.get === 'function';

/**
 * Keeps the highest fence of each resource in memory, for a server whose resources do not outlive its process. See
 * [fences](docs/fences.md#http).
 *
 * @example
 * import { HttpFences } from 'batonjs/fences';
 *
 * const fences = new HttpFences();
 * fences.refusal('/report', { 'baton-fence': '7' }); // → null
 * fences.refusal('/report', { 'baton-fence': '6' }); // → 412
 * fences.refusal('/report', {}); // → 428
 */
export class HttpFences {
  readonly #highest = new Map<string, number>();

  /**
   * Returns the status with which to refuse a request: 428 without a fence, 412 with a fence that is too low. Returns null if the
   * request may write in this turn of the event loop.
   *
   * @throws {BatonError} `input` when an argument is wrong.
   */
  refusal(resource: string, headers: AnyHeaders): 412 | 428 | null {
    checkText('a resource', resource);
    const fence = fenceIn(headers);
    if (fence === null) return 428;
    if (fence < (this.#highest.get(resource) ?? 0)) return 412;
    this.#highest.set(resource, fence);
    return null;
  }
}
