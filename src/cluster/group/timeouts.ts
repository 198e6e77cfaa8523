// When to give up: after a time, or when a caller's signal aborts.
const longestTimerMs = 2 ** 31 - 1; // Node takes what is longer for 1 ms

/** As `setTimeout`, however long that is; also for ever. Gives how to stop it. */
export function setLongTimeout(milliseconds: number, task: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number) => {
    if (leftMs <= longestTimerMs) timer = setTimeout(task, leftMs);
    else timer = setTimeout(() => wait(leftMs - longestTimerMs), longestTimerMs);
  };
  if (milliseconds !== Number.POSITIVE_INFINITY) wait(milliseconds);
  return () => clearTimeout(timer);
}

const abortListeners = new WeakMap<
  AbortSignal,
  { readonly calls: Set<() => void>; readonly listener: () => void }
>();

/**
 * Calls back when the signal aborts, which it has not yet. Gives how to stop that. The signal is a caller's and may be that of many waits: it
 * gets one listener for all of them, as Node warns of more than ten, and loses it when nobody waits, as Node keeps signals that have one.
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
