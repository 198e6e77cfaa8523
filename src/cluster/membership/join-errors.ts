// The reasons why a process cannot join a group, as sentences.
import type { Peer, View } from '../../member/index.ts';
import { BatonError } from '../errors.ts';

interface JoinAttempt {
  readonly group: string;
  readonly algorithm: string;
}

export const algorithmMismatch = ({ group, algorithm }: JoinAttempt, view: View): BatonError =>
  new BatonError(
    'conflict',
    `the processes in group '${group}' hand locks on by ${view.algorithm}, not by ${algorithm}: join with { algorithm: '${view.algorithm}' }`,
  );

/** `isRefused`: a connection was made, but one side did not authenticate the other. */
export function memberUnreachable(
  { label, address }: Peer,
  own: string,
  { group }: JoinAttempt,
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
