import { type ChildProcess, spawn } from 'node:child_process';

/** Starts a child process, which is killed when the test ends. */
export interface Child {
  readonly lines: readonly string[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  signal(name: NodeJS.Signals): void;
  ready(line?: string): Promise<void>;
}

/** Runs a program of `processes`. They use the built library. */
export function start(program: string, args: readonly string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [`test/cluster/processes/${program}.js`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  let onLine = () => {};
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    onLine();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  );
  const ready = (line = 'ready') =>
    new Promise<void>((resolve, reject) => {
      onLine = () => lines.includes(line) && resolve();
      onLine();
      ended.then(({ code, signal }) => reject(new Error(`${program} ended with ${code ?? signal}`)));
    });
  return { lines, ended, signal: (name) => signal(child, name), ready };
}

/** Unlike `child.kill`, does not make Deno take the child for ended. */
export function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (exitCode === null && signalCode === null) process.kill(pid!, name);
}
