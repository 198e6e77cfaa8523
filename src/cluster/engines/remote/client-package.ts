// Loads the client packages of databases, which are optional. Each `import` stands directly in a `try`: bundlers then leave out a package
// that is not installed.
import { InputError } from '../../../core/assert.ts';

export async function loadPg() {
  try {
    return await import('pg');
  } catch (error) {
    throw explainedLoadError('pg', error);
  }
}

export async function loadMysql2(): Promise<{ default: Pick<typeof import('mysql2'), 'createConnection'> }> {
  try {
    return await import('mysql2');
  } catch (error) {
    throw explainedLoadError('mysql2', error);
  }
}

export async function loadRedis() {
  try {
    return await import('redis');
  } catch (error) {
    throw explainedLoadError('redis', error);
  }
}

export async function loadNats() {
  try {
    return await import('@nats-io/transport-node');
  } catch (error) {
    throw explainedLoadError('@nats-io/transport-node', error);
  }
}

export async function loadNatsKv() {
  try {
    return await import('@nats-io/kv');
  } catch (error) {
    throw explainedLoadError('@nats-io/kv', error);
  }
}

/** Returns an InputError with the command that installs the package, if it is missing; else the error itself. */
export function explainedLoadError(name: string, error: unknown): unknown {
  const { code, message = '' }: Partial<NodeJS.ErrnoException> = Object(error);
  if (code === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG')
    return new InputError(
      `Jest cannot load the package ${name} by itself: run it with NODE_OPTIONS=--experimental-vm-modules, or pass your own client`,
    );
  // Node, webpack and Vite report a missing package in these words. A package that it needs may be missing, too.
  const isMissing = /cannot find (module|package)|could not resolve/i.test(message);
  const isItself = [`'${name}'`, `"${name}"`].some((quoted) => message.includes(quoted));
  return isMissing && isItself
    ? new InputError(`this engine needs the package ${name}: npm install ${name}`)
    : error;
}
