import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, join } from 'node:path';
import { isatty } from 'node:tty';
import { InputError } from '../../core/assert.ts';

/** Returns the exit code of a command, by the convention of shells. */
export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  signal === null ? (code ?? 1) : 128 + system.signals[signal];

const forwardedSignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const;
const fromTerminal: readonly string[] = ['SIGINT', 'SIGQUIT']; // a terminal sends these to the command itself
const graceMs = 5000; // between SIGTERM and SIGKILL

/** Throws an InputError if a command cannot be run. */
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
 * Returns a command prefix that makes the kernel kill the command when this process dies; empty if there is no such tool. Begin this before
 * joining a group: it takes as long as to start a process, twice.
 */
export async function findParentDeathTool(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const tool = ['--pdeathsig', 'KILL', '--'];
  const attempt = spawn('setpriv', [...tool, 'true'], { stdio: 'ignore' });
  const works = await new Promise<boolean>((resolve) => {
    attempt.on('error', () => resolve(false));
    attempt.on('exit', (code) => resolve(code === 0));
  });
  return works ? ['setpriv', ...tool] : [];
}

/**
 * Runs a command with inherited standard streams, and forwards signals. If `lost` aborts, the command gets SIGTERM, later SIGKILL. With
 * the tool for it, the kernel kills the command when this process is killed: it must not continue without the lock.
 */
export async function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  lost: AbortSignal,
  parentDeathTool: readonly string[],
): Promise<number> {
  const stopForwarding = forwardSignals((signal) => send(child, signal)); // before the command runs, and before the caller stops its own listeners
  const [program, ...rest] = [...parentDeathTool, ...command] as [string, ...string[]];
  const child = spawn(program, rest, { stdio: 'inherit', env: { ...process.env, ...env } });
  let killer: NodeJS.Timeout | undefined;
  const end = () => {
    send(child, 'SIGTERM');
    killer = setTimeout(() => send(child, 'SIGKILL'), graceMs);
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
    stopForwarding();
  }
}

/** With `child.kill`, Deno would report that the signal ended the command even if the command handles it. */
function send({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // the command has ended
  }
}

/** Uses `isatty` instead of `process.stdin`, which would open the stream and take input from the command. */
function forwardSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const hasTerminal = isatty(0);
  const forward = (signal: NodeJS.Signals) => {
    if (!hasTerminal || !fromTerminal.includes(signal)) send(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  return () => {
    for (const signal of forwardedSignals) process.off(signal, forward);
  };
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
