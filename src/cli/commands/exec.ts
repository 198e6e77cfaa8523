import { BatonError, type Group, type Lock } from '../../cluster/index.ts';
import { InputError } from '../../core/assert.ts';
import type { ConnectionFlags } from '../input/connection-flags.ts';
import { elapsedText } from '../output/elapsed-time.ts';
import { assertExecutable, runCommand } from '../processes/child-process.ts';
import { joinOrExit, onTermination } from '../processes/termination.ts';

export interface ExecOptions extends ConnectionFlags {
  readonly lock: string;
  readonly group: string;
  readonly try?: boolean;
  readonly timeout?: string;
}

// Beside the exit codes of the command.
export const lockNotAcquired = 75; // as in sysexits.h: try again later
export const lockLost = 76;

const patienceMs = 500; // before somebody who waits is told why
const lookAgainMs = 5000;

export async function execCommand(command: readonly string[], options: ExecOptions): Promise<number> {
  assertExecutable(command);
  const timeoutMs = options.timeout === undefined ? undefined : milliseconds(options.timeout);
  const told = onTermination();
  await using group = await joinOrExit(options, told);
  const lock = await take(group, options, timeoutMs, told.signal);
  if (told.signal.aborted || lock === null) {
    told.stop();
    return told.signal.aborted ? told.code() : lockNotAcquired;
  }
  const running = runCommand(command, { BATON_FENCE: `${lock.fence}` }, lock.signal);
  told.stop();
  const code = await running;
  if (lock.state !== 'lost') return code;
  console.error(`baton: lock '${lock.name}' was lost while ${command[0]} ran`);
  return lockLost;
}

/** Null, with a line on stderr, if it was not to be had. */
async function take(
  group: Group,
  { lock: name, try: isTry }: ExecOptions,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<Lock | null> {
  const stopTelling = isTry ? () => {} : reportHolderWhileWaiting(group, name);
  try {
    const lock = await (isTry ? group.tryLock : group.lock).call(group, name, { signal, timeoutMs });
    if (lock === null) console.error(`baton: somebody else holds lock '${name}'`);
    return lock;
  } catch (error) {
    if (!(error instanceof BatonError && ['timeout', 'aborted'].includes(error.code))) throw error;
    if (error.code === 'timeout') console.error(`baton: ${error.message}`);
    return null;
  } finally {
    stopTelling();
  }
}

/** A line on stderr while it takes long, and another whenever somebody else holds it. */
function reportHolderWhileWaiting(group: Group, name: string): () => void {
  let isOver = false;
  let told = '';
  let timer = setTimeout(look, patienceMs);
  async function look() {
    const found = await group.inspect().catch(() => null);
    const holder = found?.locks.find((lock) => lock.name === name)?.holder ?? null;
    if (isOver) return;
    const by = holder === null ? 'nobody says to hold it' : `${holder.label} holds it`;
    const since = holder === null ? '' : `, for ${elapsedText(holder.since)} now`;
    if (by !== told) console.error(`baton: waiting for lock '${name}': ${by}${since}`);
    told = by;
    timer = setTimeout(look, lookAgainMs);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  throw new InputError(`--timeout is a number of milliseconds, like 2000, not '${text}'`);
}
