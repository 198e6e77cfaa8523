import { spawn } from 'node:child_process';

/** A process of its own; ended with the test at the latest. */
export interface Child {
  readonly lines: readonly string[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  signal(name: NodeJS.Signals): void;
  ready(line?: string): Promise<void>;
}

/** Runs one of the programs in `processes`, which use the built library. */
export function start(program: string, args: readonly string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [`test/cluster/processes/${program}.js`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  let told = () => {};
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    told();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  );
  const ready = (line = 'ready') =>
    new Promise<void>((resolve, reject) => {
      told = () => lines.includes(line) && resolve();
      told();
      ended.then(({ code, signal }) => reject(new Error(`${program} ended with ${code ?? signal}`)));
    });
  return { lines, ended, signal: (name) => child.kill(name), ready };
}
