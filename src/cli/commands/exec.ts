import { BatonError, type Group, type Lock } from '../../cluster/index.ts';
import { InputError } from '../../core/assert.ts';
import { visibleText } from '../../core/visible-text.ts';
import type { JoinFlags } from '../input/connection-flags.ts';
import { elapsedText } from '../output/elapsed-time.ts';
import { assertExecutable, findParentDeathTool, runCommand } from '../processes/child-process.ts';
import { joinOrExit, onTermination } from '../processes/termination.ts';

export interface ExecOptions extends JoinFlags {
  readonly lock: string;
  readonly group: string;
  readonly try?: boolean;
  readonly timeout?: string;
}

// Exit codes besides those of the command.
export const lockNotAcquired = 75; // as in sysexits.h: try again later
export const lockLost = 76;

const firstReportMs = 500; // of waiting, before the holder is reported
const reportEveryMs = 5000;

export async function execCommand(command: readonly string[], options: ExecOptions): Promise<number> {
  assertExecutable(command);
  const timeoutMs = options.timeout === undefined ? undefined : milliseconds(options.timeout);
  const findingTool = findParentDeathTool();
  const termination = onTermination();
  await using group = await joinOrExit(options, termination);
  const lock = await take(group, options, timeoutMs, termination.signal);
  const tool = await findingTool;
  if (termination.signal.aborted || lock === null) {
    termination.stop();
    return termination.signal.aborted ? termination.code() : lockNotAcquired;
  }
  const running = runCommand(command, { BATON_FENCE: `${lock.fence}` }, lock.signal, tool);
  termination.stop();
  const code = await running;
  await lock.release(); // only after the command has ended
  if (lock.state !== 'lost') return code;
  console.error(`baton: lock '${lock.name}' was lost while ${command[0]} ran`);
  return lockLost;
}

/** Returns null, with a line on stderr, if the lock was not acquired. */
async function take(
  group: Group,
  { lock: name, try: isTry }: ExecOptions,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<Lock | null> {
  const stopReporting = isTry ? () => {} : reportHolderWhileWaiting(group, name);
  try {
    const lock = await (isTry ? group.tryLock : group.lock).call(group, name, { signal, timeoutMs });
    if (lock === null) console.error(`baton: somebody else holds lock '${name}'`);
    return lock;
  } catch (error) {
    if (!(error instanceof BatonError && ['timeout', 'aborted'].includes(error.code))) throw error;
    if (error.code === 'timeout') console.error(`baton: ${error.message}`);
    return null;
  } finally {
    stopReporting();
  }
}

/** Prints the holder to stderr if waiting takes long, and again when the holder changes. Returns a function that stops it. */
function reportHolderWhileWaiting(group: Group, name: string): () => void {
  let isOver = false;
  let reported = '';
  let timer = setTimeout(report, firstReportMs);
  async function report() {
    const found = await group.inspect().catch(() => null);
    const holder = found?.locks.find((lock) => lock.name === name)?.holder ?? null;
    if (isOver) return;
    const by = holder === null ? 'nobody says to hold it' : `${visibleText(holder.label)} holds it`;
    const since = holder === null ? '' : `, for ${elapsedText(holder.since)} now`;
    if (by !== reported) console.error(`baton: waiting for lock '${name}': ${by}${since}`);
    reported = by;
    timer = setTimeout(report, reportEveryMs);
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
