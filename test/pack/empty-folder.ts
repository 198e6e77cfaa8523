// The packages as npm would publish them, installed into empty folders.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What `npm pack` reports of a package. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number; // of the tarball, in bytes
  readonly unpackedSize: number;
  readonly entryCount: number; // files
}

const packages = ['batonjs', 'batonjs-lab'] as const;

/** A temporary folder with both tarballs. */
export class EmptyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'baton-pack-'));
  readonly packed: Readonly<Record<string, Packed>>;

  constructor() {
    const chosen = packages.flatMap((name) => ['-w', name]);
    const printed = this.run(
      'npm',
      ['pack', ...chosen, '--ignore-scripts', '--json', '--pack-destination', this.path],
      process.cwd(),
    );
    const reported: Packed[] = Object.values(JSON.parse(printed)); // an array before npm 11, then an object
    this.packed = Object.fromEntries(reported.map((one) => [one.name, one]));
  }

  /** Runs a command, and returns its output. Throws with all of it if the command fails. */
  run(command: string, args: readonly string[], cwd = this.path): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), text);
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  /** Installs packages: the names of ours mean the tarballs. */
  install(...names: readonly string[]): void {
    if (names.some((name) => name in this.packed))
      this.write('package.json', '{ "name": "empty", "private": true, "type": "module" }\n');
    const wanted = names.map((name) => (name in this.packed ? `./${this.packed[name]!.filename}` : name));
    this.run('npm', ['install', '--no-audit', '--no-fund', ...wanted]);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
