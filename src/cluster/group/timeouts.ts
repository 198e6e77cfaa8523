// Timeouts of any length, and abort signals of callers.
const longestTimerMs = 2 ** 31 - 1; // Node treats a longer delay as 1 ms

/** As `setTimeout`, for any delay, Infinity included. Returns a function that cancels it. */
export function setLongTimeout(milliseconds: number, task: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const schedule = (remainingMs: number) => {
    if (remainingMs <= longestTimerMs) timer = setTimeout(task, remainingMs);
    else timer = setTimeout(() => schedule(remainingMs - longestTimerMs), longestTimerMs);
  };
  if (milliseconds !== Number.POSITIVE_INFINITY) schedule(milliseconds);
  return () => clearTimeout(timer);
}

const abortListeners = new WeakMap<
  AbortSignal,
  { readonly calls: Set<() => void>; readonly listener: () => void }
>();

/**
 * Calls back when a signal aborts that has not aborted yet. Returns an unsubscribe function. Many calls may share one signal, with one
 * listener, because Node warns of more than ten. The last to unsubscribe removes it, because Node keeps signals that have a listener.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const { calls, listener } = abortListeners.get(signal) ?? addAbortListener(signal);
  calls.add(call);
  return () => {
    calls.delete(call);
    if (calls.size > 0) return;
    signal.removeEventListener('abort', listener);
    abortListeners.delete(signal);
  };
}

function addAbortListener(signal: AbortSignal) {
  const calls = new Set<() => void>();
  const listener = () => {
    for (const call of [...calls]) call();
  };
  const all = { calls, listener };
  abortListeners.set(signal, all);
  signal.addEventListener('abort', listener);
  return all;
}

/** Waits for this time, or until one of the signals aborts. */
export async function pauseUnlessAborted(
  milliseconds: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  let stop: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    stop = [setLongTimeout(milliseconds, resolve), ...signals.map((signal) => onAbort(signal, resolve))];
  });
  for (const each of stop) each();
}
