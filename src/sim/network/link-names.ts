import type { Address, Pid } from '../../core/algorithm.ts';
import type { Setup } from '../scenario/setup.ts';

/** The link that a trace shows; null where the receiver's position identifies it. */
export const linkInTrace = ({ topology, algorithm }: Setup, from: Pid, link: number): number | null =>
  !algorithm.knows.includes('me') && topology.isMultiple(from) ? link : null;

/** The address by which a process knows a neighbour. */
export const neighbourAddress = ({ algorithm, topology }: Setup, process: Pid, neighbour: Pid): Address =>
  algorithm.knows.includes('me') ? neighbour : topology.link(process, neighbour);
