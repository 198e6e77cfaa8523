import { InputError } from '../../../core/assert.ts';

/**
 * Loads the client package of a database, an optional dependency.
 *
 * @throws InputError with the command that installs the package, if it is missing.
 */
export async function loadClientPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
    throw new InputError(`this engine needs the package ${name}: npm install ${name}`);
  }
}
