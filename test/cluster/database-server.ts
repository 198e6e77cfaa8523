// A real database server for the tests of one file.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, type ServerName, start } from '../../bench/servers.ts';

const minutes = 60_000;

/** Defines `tests` with a server that runs during them. Skips them by name if the server is not available; in CI it must be. */
export function withServer(
  name: ServerName,
  tests: (server: () => Database) => void,
  options: () => { durable?: boolean; before?: string } = () => ({}),
): void {
  let server: Database | null = null;
  beforeAll(async () => {
    server = await start(name, { durable: true, ...options() });
    if (server === null && process.env.CI) throw new Error(`${name} is not here and cannot be installed`);
  }, 5 * minutes);
  afterAll(() => server?.stop());
  beforeEach(({ skip }) => {
    if (server === null) skip(`${name} is not here and cannot be installed`);
  });
  tests(() => server!);
}
