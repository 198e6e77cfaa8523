/** The result of checking the log of the workers. Each line was written by one append, so lines are in the order of writing. */
export interface LogReport {
  readonly entries: number;
  readonly losses: number;
  readonly violations: readonly string[];
}

interface Hold {
  readonly pid: number;
  readonly entered: bigint;
  lastHeld: bigint; // last time at which the lock was held, by the clocks
}

export function checkLog(log: string): LogReport {
  const violations: string[] = [];
  const holds = new Map<number, Hold>();
  let losses = 0;
  for (const line of log.split('\n').filter((text) => text !== '')) {
    const [what, pid, fence, at] = line.split(' ') as [string, string, string, string];
    if (what === 'lost') losses += 1;
    else if (what === 'enter') {
      const before = holds.get(Number(fence));
      if (before !== undefined) violations.push(`fence ${fence} was given to ${before.pid} and to ${pid}`);
      holds.set(Number(fence), { pid: Number(pid), entered: BigInt(at), lastHeld: BigInt(at) });
    } else if (what === 'held') {
      const hold = holds.get(Number(fence));
      if (hold === undefined) violations.push(`${pid} holds under fence ${fence} without having entered`);
      else hold.lastHeld = BigInt(at);
    }
  }
  const inOrder = [...holds].sort(([a], [b]) => a - b);
  inOrder.forEach(([fence, { pid, entered }], i) => {
    const [earlier, before] = inOrder[i - 1] ?? [];
    if (before !== undefined && before.lastHeld >= entered)
      violations.push(
        `${pid} entered with fence ${fence} while ${before.pid} held with ${earlier}, ${before.lastHeld - entered} ns too early`,
      );
  });
  return { entries: holds.size, losses, violations };
}
