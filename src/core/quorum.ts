import type { Pid } from './algorithm.ts';

/** The row and the column of a process in a grid, itself included. Any two such quorums intersect. */
export function gridQuorum(me: Pid, n: number): Pid[] {
  const side = Math.ceil(Math.sqrt(n));
  const meets = (j: Pid) => Math.floor(j / side) === Math.floor(me / side) || j % side === me % side;
  return Array.from({ length: n }, (_, j) => j).filter(meets);
}
