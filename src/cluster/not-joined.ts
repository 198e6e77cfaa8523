// Why a process does not get into a group, in a sentence.
import type { Peer, View } from '../member/index.ts';
import { BatonError } from './errors.ts';

interface Joining {
  readonly group: string;
  readonly algorithm: string;
}

export const otherAlgorithm = ({ group, algorithm }: Joining, view: View): BatonError =>
  new BatonError(
    'conflict',
    `the processes in group '${group}' hand locks on by ${view.algorithm}, not by ${algorithm}: join with { algorithm: '${view.algorithm}' }`,
  );

/** `isRefused`: some connection came about, and one side found that the other does not belong to the group. */
export function notReached(
  { label, address }: Peer,
  own: string,
  { group }: Joining,
  isRefused: boolean,
): BatonError {
  const who = `${label}, which is in group '${group}', was not reached at ${address}`;
  return new BatonError(
    'unavailable',
    isRefused
      ? `${who}: it refuses our secret or certificate, or we refuse its. All need the same secret, or tls of the same authority`
      : `${who}, or did not reach us at ${own}: on several machines, all need listen, and the same secret or tls`,
  );
}
