// Whether a process that joins and the members of the group reach each other.
import type { MemberId, Peer } from '../../member/index.ts';
import type { BatonError } from '../errors.ts';
import { pauseUnlessAborted } from '../group/timeouts.ts';
import { memberUnreachable, notReachedBy, notReachedByItself } from './join-errors.ts';
import type { MemberHost } from './member-host.ts';
import type { MemberQueries } from './member-queries.ts';

interface ReachabilityCheck {
  readonly group: string;
  readonly algorithm: string;
  readonly host: MemberHost;
  readonly queries: MemberQueries;
  readonly others: readonly Peer[];
  readonly reached: Set<MemberId>; // the others that were reached, in earlier checks too
  readonly limitMs: number;
  readonly left: AbortSignal;
  readonly wasRefused: () => boolean; // one side did not authenticate the other
}

const retryFraction = 0.1; // of the limit, if the check fails at once

/**
 * Returns null if this process and all others reach each other. A process without others must reach itself, as it would keep everybody out
 * if others could not reach it. With others it need not: some networks let no host reach its own mapped address.
 */
export async function findUnreachable(check: ReachabilityCheck): Promise<BatonError | null> {
  const { host, queries, others, reached, limitMs, left, wasRefused } = check;
  const address = await host.open();
  if (others.length === 0) {
    const why = await host.reachItself(limitMs);
    if (why !== null) await pauseUnlessAborted(retryFraction * limitMs, [left]);
    return why === null ? null : notReachedByItself(address, why);
  }
  const [pongs, reaching] = await Promise.all([
    queries.ask(host, others, 'ping', limitMs),
    queries.ask(host, others, 'reach', limitMs),
  ]);
  for (const id of pongs.keys()) reached.add(id);
  const silent = others.find(({ id }) => !reached.has(id));
  if (silent) return memberUnreachable(silent, check, wasRefused());
  const failing = others.find(({ id }) => !pongs.has(id) || !reaching.has(id));
  return failing ? notReachedBy(failing, address, check) : null;
}
