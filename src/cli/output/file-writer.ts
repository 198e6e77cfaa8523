import {
  closeSync,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { InputError } from '../../core/assert.ts';

/**
 * Writes lines to a temporary file that gets its name only when it is complete. An existing path that is not a regular file, such as a
 * pipe or a device, is written directly.
 */
export class FileWriter {
  readonly #path: string;
  readonly #target: string; // the file being written, renamed to `path` by `done` if it differs
  readonly #file: number;
  #buffer: string[] = [];
  #buffered = 0;

  constructor(path: string) {
    const exists = existsSync(path);
    if (path === '' || (exists && statSync(path).isDirectory()))
      throw new InputError(`'${path}' is not the name of a file to write`);
    this.#path = exists ? realpathSync(path) : path;
    this.#target = exists && !statSync(path).isFile() ? this.#path : `${this.#path}.${process.pid}.partial`;
    this.#file = this.#attempt(() => openSync(this.#target, this.#target === this.#path ? 'w' : 'wx'));
  }

  write(line: string): void {
    this.#buffer.push(line, '\n');
    this.#buffered += line.length;
    if (this.#buffered > 1 << 20) this.#attempt(() => this.#flush());
  }

  done(): void {
    this.#attempt(() => {
      this.#flush();
      closeSync(this.#file);
      if (this.#target !== this.#path) renameSync(this.#target, this.#path);
    });
  }

  discard(): void {
    if (this.#target !== this.#path) rmSync(this.#target, { force: true });
  }

  #flush(): void {
    writeSync(this.#file, this.#buffer.join(''));
    this.#buffer = [];
    this.#buffered = 0;
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new InputError(`cannot write ${this.#path}: ${(error as Error).message}`);
    }
  }
}
