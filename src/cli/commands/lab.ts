import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InputError } from '../../core/assert.ts';
import { headers, serveLab } from '../lab-server/http-server.ts';
import { LiveApi } from '../lab-server/live-api.ts';

const defaultPort = 7450;

/** Serves the page on the loopback address until a signal arrives. */
export async function labCommand({ port }: { port?: string }): Promise<number> {
  const live = new LiveApi(headers);
  const server = await serveLab(portOf(port), live);
  const stop = () => server.close().closeAllConnections();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  console.log(`The lab is at ${addressOf(server)}#token=${live.token} (stop it with Ctrl-C)`);
  await once(server, 'close');
  await live.close();
  return 0;
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

function portOf(text: string | undefined): number {
  const port = text === undefined ? defaultPort : Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536 && text !== '') return port;
  throw new InputError(
    `--port '${text}' is not a port: write a number up to 65535, or 0 for any that is free`,
  );
}
