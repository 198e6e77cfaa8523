// Checks out and compiles an earlier commit in a temporary folder, which is removed when this process exits.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Returns the short hash, or null if there is no such commit. */
export function hashOf(commit: string): string | null {
  try {
    return git('rev-parse', '--verify', '--quiet', '--short', `${commit}^{commit}`);
  } catch {
    return null;
  }
}

/** Returns the folder. Everything is removed when this process exits, so signals must end in an exit. */
export async function checkOut(hash: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `baton-${hash}-`));
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', '--force', folder], { cwd: root });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 }); // if git was interrupted before it knew the folder
  });
  await run(root, 'git', ['worktree', 'add', '--quiet', '--detach', folder, hash]);
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else await run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  await run(folder, process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
  return folder;
}

/**
 * Runs a command in a process group of its own. An exit ends the whole group, so that nothing writes into the folder while it is removed.
 * Git cleans up on SIGTERM; the compiler goes on writing despite it.
 */
async function run(cwd: string, command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], detached: true });
  const kill = () => process.kill(-child.pid!, command === 'git' ? 'SIGTERM' : 'SIGKILL');
  process.prependListener('exit', kill);
  const [code] = await once(child, 'exit');
  process.off('exit', kill);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`);
}
