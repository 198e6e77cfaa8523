import { BatonError, type Group, type Lock } from '../cluster/index.ts';
import { InputError } from '../core/assert.ts';
import { ago } from './ago.ts';
import { checkCommand, run, untilTold } from './child.ts';
import { joinUnlessTold } from './joining.ts';
import type { PlaceFlags } from './place.ts';

export interface ExecOptions extends PlaceFlags {
  readonly lock: string;
  readonly group: string;
  readonly try?: boolean;
  readonly timeout?: string;
}

// Beside the exit codes of the command.
export const notGot = 75; // as in sysexits.h: try again later
export const lostIt = 76;

const patienceMs = 500; // before somebody who waits is told why
const lookAgainMs = 5000;

export async function execCommand(command: readonly string[], options: ExecOptions): Promise<number> {
  checkCommand(command);
  const timeoutMs = options.timeout === undefined ? undefined : milliseconds(options.timeout);
  const told = untilTold();
  await using group = await joinUnlessTold(options, told);
  const lock = await take(group, options, timeoutMs, told.signal);
  if (told.signal.aborted || lock === null) {
    told.stop();
    return told.signal.aborted ? told.code() : notGot;
  }
  const running = run(command, { BATON_FENCE: `${lock.fence}` }, lock.signal);
  told.stop();
  const code = await running;
  if (lock.state !== 'lost') return code;
  console.error(`baton: lock '${lock.name}' was lost while ${command[0]} ran`);
  return lostIt;
}

/** Null, with a line on stderr, if it was not to be had. */
async function take(
  group: Group,
  { lock: name, try: isTry }: ExecOptions,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<Lock | null> {
  const stopTelling = isTry ? () => {} : tellWhyWeWait(group, name);
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
function tellWhyWeWait(group: Group, name: string): () => void {
  let isOver = false;
  let told = '';
  let timer = setTimeout(look, patienceMs);
  async function look() {
    const found = await group.inspect().catch(() => null);
    const holder = found?.locks.find((lock) => lock.name === name)?.holder ?? null;
    if (isOver) return;
    const by = holder === null ? 'nobody says to hold it' : `${holder.label} holds it`;
    const since = holder === null ? '' : `, for ${ago(holder.since)} now`;
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
