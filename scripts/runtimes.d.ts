/** A runtime that is installed. */
export interface Runtime {
  /** With its version. */
  readonly name: string;
  /** Whether it has pre-shared keys in TLS, which a secret needs. */
  readonly hasKeys: boolean;
  readonly command: string;
  /** What comes before the name of a file. */
  readonly run: readonly string[];
}

/** All of them, before they are installed. */
export const runtimes: readonly Pick<Runtime, 'name' | 'hasKeys' | 'run'>[];

/** Installs all of them from npm into a folder. */
export function installRuntimes(folder: string): Runtime[];
