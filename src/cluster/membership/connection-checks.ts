// Checks the options that say where a group is.
import { optionNames } from '../../core/did-you-mean.ts';
import { BatonError } from '../errors.ts';
import { checkKnownOptions, describeValue } from '../group/arguments.ts';
import type { Certificates } from '../transport/certificates.ts';
import type { ConnectionOptions } from './backend.ts';

export const connectionOptions = {
  engine: true,
  listen: true,
  advertise: true,
  tls: true,
  secret: true,
  unsafe: true,
} as const satisfies Record<keyof ConnectionOptions, true>;

const certificates = optionNames<Certificates>({ key: true, cert: true, ca: true });

/** Checks that each option has a value of its type. The transport and the engine check what the values mean. */
export function checkConnectionOptions({
  engine,
  tls,
  secret,
  unsafe,
  ...addresses
}: ConnectionOptions): void {
  if (engine !== undefined && typeof engine !== 'string' && typeof engine !== 'function')
    throw new BatonError(
      'input',
      `engine is an address in a string, or what postgres(pool) and the like return, not ${describeValue(engine)}`,
    );
  for (const name of ['listen', 'advertise'] as const)
    if (addresses[name] !== undefined && typeof addresses[name] !== 'string')
      throw new BatonError(
        'input',
        `${name} is an address in a string, not ${describeValue(addresses[name])}`,
      );
  if (secret !== undefined && ![secret].flat().every((one) => typeof one === 'string'))
    throw new BatonError('input', 'secret is a string of at least 16 characters, or a list of such strings');
  checkBoolean('unsafe', unsafe);
  if (tls === undefined || typeof tls === 'function') return;
  if (typeof tls !== 'object' || tls === null)
    throw new BatonError(
      'input',
      `tls is an object with key, cert and ca, or a function that returns one, not ${describeValue(tls)}`,
    );
  checkKnownOptions('tls', tls, certificates);
}

export function checkBoolean(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new BatonError('input', `${name} is true or false, not ${describeValue(value)}`);
}
