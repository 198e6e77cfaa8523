import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, join } from 'node:path';
import { isatty } from 'node:tty';
import { InputError } from '../../core/assert.ts';

/** How a command ended, as a shell says it. */
export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  signal === null ? (code ?? 1) : 128 + system.signals[signal];

const forwardedSignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const;
const fromTerminal: readonly string[] = ['SIGINT', 'SIGQUIT']; // which sends these to the command as well
const graceMs = 5000; // between SIGTERM and SIGKILL

/** Throws, in a sentence, what a shell would say of a command that cannot be run. */
export function assertExecutable([command]: readonly string[]): void {
  if (command === undefined) throw new InputError('which command? write it after --, like: -- ./report.sh');
  if (
    command.includes('/') ? isExecutable(command) : folders().some((one) => isExecutable(join(one, command)))
  )
    return;
  throw new InputError(
    `'${command}' is not a command that can be run: is its name right, and is it executable?`,
  );
}

/**
 * Runs a command with our standard streams, passing signals on. If `lost` aborts, the command is told to end. If we are killed the kernel
 * kills it, where there is a way to ask for that: it must not go on without the lock.
 */
export async function runCommand(
  [command, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  lost: AbortSignal,
): Promise<number> {
  const stopPassing = passSignals((signal) => child.kill(signal)); // before it can be seen to run, and before who listened until now stops
  const [program, ...rest] = [...killWithParent(), command!, ...args] as [string, ...string[]];
  const child = spawn(program, rest, { stdio: 'inherit', env: { ...process.env, ...env } });
  let killer: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGTERM');
    killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  if (lost.aborted) end();
  else lost.addEventListener('abort', end, { once: true });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
    });
  } finally {
    clearTimeout(killer);
    lost.removeEventListener('abort', end);
    stopPassing();
  }
}

/** Whether there is a terminal is not asked of `process.stdin`: that would open it, and the command could no longer read from it as it likes. */
function passSignals(on: (signal: NodeJS.Signals) => void): () => void {
  const hasTerminal = isatty(0);
  const pass = (signal: NodeJS.Signals) => {
    if (!hasTerminal || !fromTerminal.includes(signal)) on(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, pass);
  return () => {
    for (const signal of forwardedSignals) process.off(signal, pass);
  };
}

/** The words that have the kernel kill a command when we die; none where there is no such tool. */
function killWithParent(): string[] {
  const tool = ['setpriv', '--pdeathsig', 'KILL', '--'];
  const works = process.platform === 'linux' && spawnSync(tool[0]!, [...tool.slice(1), 'true']).status === 0;
  return works ? tool : [];
}

const folders = () => (process.env.PATH ?? '').split(delimiter);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
