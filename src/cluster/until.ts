// When to give up: after a time, or when a caller's signal aborts.
const longestTimerMs = 2 ** 31 - 1; // Node takes what is longer for 1 ms

/** As `setTimeout`, however long that is; also for ever. Gives how to stop it. */
export function after(milliseconds: number, task: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number) => {
    if (leftMs <= longestTimerMs) timer = setTimeout(task, leftMs);
    else timer = setTimeout(() => wait(leftMs - longestTimerMs), longestTimerMs);
  };
  if (milliseconds !== Number.POSITIVE_INFINITY) wait(milliseconds);
  return () => clearTimeout(timer);
}
