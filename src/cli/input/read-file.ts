import { readFileSync } from 'node:fs';
import { InputError } from '../../core/assert.ts';

export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InputError(code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${message}`);
  }
}
