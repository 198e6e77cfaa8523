import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { InputError } from '../core/assert.ts';

/** Writes lines to a file that appears under its name only when it is complete. */
export class FileWriter {
  readonly #path: string;
  readonly #partial: string;
  readonly #file: number;
  #buffer: string[] = [];
  #buffered = 0;

  constructor(path: string) {
    this.#path = path;
    this.#partial = `${path}.${process.pid}.partial`;
    try {
      this.#file = openSync(this.#partial, 'wx');
    } catch (error) {
      throw new InputError(`cannot write ${path}: ${(error as Error).message}`);
    }
  }

  write(line: string): void {
    this.#buffer.push(line, '\n');
    this.#buffered += line.length;
    if (this.#buffered > 1 << 20) this.#flush();
  }

  done(): void {
    try {
      this.#flush();
      closeSync(this.#file);
      renameSync(this.#partial, this.#path);
    } catch (error) {
      this.discard();
      throw new InputError(`cannot write ${this.#path}: ${(error as Error).message}`);
    }
  }

  discard(): void {
    rmSync(this.#partial, { force: true });
  }

  #flush(): void {
    writeSync(this.#file, this.#buffer.join(''));
    this.#buffer = [];
    this.#buffered = 0;
  }
}
