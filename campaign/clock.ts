// Wall clocks that libfaketime can set: one for each member, or one for all members of a machine. Monotonic clocks are not affected.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from '../bench/servers.ts';

const libraries = ['x86_64', 'aarch64'].map(
  (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
);

export class WallClocks {
  readonly #folder = mkdtempSync(join(tmpdir(), 'clocks-'));
  readonly #library: string;
  readonly #isOneMachine: boolean;

  /** Returns null if libfaketime is missing and cannot be installed. */
  static open(isOneMachine: boolean): WallClocks | null {
    installed('faketime', 'faketime');
    const library = libraries.find((path) => existsSync(path));
    return library === undefined ? null : new WallClocks(library, isOneMachine);
  }

  private constructor(library: string, isOneMachine: boolean) {
    this.#library = library;
    this.#isOneMachine = isOneMachine;
    chmodSync(this.#folder, 0o755); // the members may run as another user
    this.set(0, 0);
  }

  env(member: number): NodeJS.ProcessEnv {
    if (!this.#isOneMachine) this.set(member, 0);
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file(member),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  set(member: number, seconds: number): void {
    writeFileSync(this.#file(member), `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #file(member: number): string {
    return join(this.#folder, this.#isOneMachine ? 'machine' : `${member}`);
  }
}
