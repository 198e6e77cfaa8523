// Child processes of a benchmark: starts them, exchanges messages with them, and ends them.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Returns nanoseconds. On Linux all processes have the same clock. */
export const now = (): number => Number(process.hrtime.bigint());

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Starts a process that exchanges messages with this one. */
export type Start = (file: string, env: NodeJS.ProcessEnv) => ChildProcess;

const startHere: Start = (file, env) => fork(file, [], { serialization: 'advanced', env });
export const startCollecting: Start = (file, env) =>
  fork(file, [], { serialization: 'advanced', env, execArgv: ['--expose-gc'] });

/** Starts a process that runs `file`, from this folder, and passes its orders in the environment. */
export function hire(file: string, orders: object, start: Start = startHere): ChildProcess {
  const env = { ...process.env, BENCH_ORDERS: JSON.stringify(orders) };
  const child = start(fileURLToPath(new URL(file, import.meta.url)), env);
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}

/** Returns the orders of this process. */
export const ordersOf = <T>(): T => JSON.parse(process.env.BENCH_ORDERS!);

export const told = <T>(): Promise<T> =>
  new Promise((resolve) => process.once('message', (m) => resolve(m as T)));

/** Returns the next wanted message of a process. */
export function hear<T>(
  child: ChildProcess,
  timeoutMs: number,
  isWanted: (said: T) => boolean = () => true,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.off('message', said).off('exit', gone);
      settle();
    };
    const said = (message: unknown) => {
      if (isWanted(message as T)) finish(() => resolve(message as T));
    };
    const gone = (code: number | null, signal: string | null) =>
      finish(() => reject(new Error(`a process ended with ${signal ?? code}`)));
    const late = () => finish(() => reject(new Error(`nothing for ${timeoutMs / 1000} s`)));
    const timer = setTimeout(late, timeoutMs);
    child.on('message', said).once('exit', gone);
  });
}

/** Waits until the processes end by themselves, and kills them after `patienceMs`. */
export async function dismiss(children: readonly ChildProcess[], patienceMs = 10_000): Promise<void> {
  const late = setTimeout(() => {
    for (const child of children) child.kill('SIGKILL');
  }, patienceMs);
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }),
  );
  clearTimeout(late);
}
