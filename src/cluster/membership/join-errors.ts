// The reasons why a process cannot join a group, as sentences.

import { visibleText } from '../../core/visible-text.ts';
import { mostMembers, type Peer, type View } from '../../member/index.ts';
import { BatonError } from '../errors.ts';

interface JoinAttempt {
  readonly group: string;
  readonly algorithm: string;
}

export const algorithmMismatch = ({ group, algorithm }: JoinAttempt, view: View): BatonError =>
  new BatonError(
    'conflict',
    `the processes in group '${group}' hand locks on by ${visibleText(view.algorithm)}, not by ${algorithm}: join with { algorithm: '${visibleText(view.algorithm)}' }`,
  );

export const groupFull = ({ group }: JoinAttempt): BatonError =>
  new BatonError(
    'conflict',
    `group '${group}' has ${mostMembers} members, the most there can be: use several groups`,
  );

/** Members do not reach each other: `address` is where one of them was not reached. */
export class MemberUnreachableError extends BatonError {
  readonly address: string;

  constructor(message: string, address: string) {
    super('unavailable', message);
    this.address = address;
  }
}

/** `isRefused`: a connection was made, but one side did not authenticate the other. */
export function memberUnreachable(
  { label, address }: Peer,
  { group }: JoinAttempt,
  isRefused: boolean,
): BatonError {
  const who = `${label}, which is in group '${group}', was not reached at ${address}`;
  return new MemberUnreachableError(
    isRefused
      ? `${who}: it refuses our secret or certificate, or we refuse its. All need the same secret, or tls of the same authority, or neither`
      : `${who}: on several machines, all need listen, and the same secret or tls`,
    address,
  );
}

export const notReachedBy = ({ label }: Peer, own: string, { group }: JoinAttempt): BatonError =>
  new MemberUnreachableError(
    `${label}, which is in group '${group}', does not reach us at ${own}: check listen and advertise, and the firewall between us`,
    own,
  );

export const notReachedByItself = (own: string, why: string): BatonError =>
  new MemberUnreachableError(
    `this process does not reach itself at ${own}, where other members would dial it (${why}): check listen and advertise. ` +
      'Where a network lets no host reach its own mapped address, advertise a host name that leads to this machine from here, too',
    own,
  );
