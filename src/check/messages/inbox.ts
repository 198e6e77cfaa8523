// What is on its way to one process. A message on its way is an item; an inbox is a list of items in a canonical order, so that
// two inboxes are one if nobody can tell them apart. Causal channels count what is on its way, where core/causal-delivery.ts counts all
// that was ever sent: with such counts no world would be seen twice.
import type { Address, ChannelKind, Message, Pid } from '../../core/algorithm.ts';

export interface Envelope {
  readonly from: Pid; // relative to the receiver where all processes are alike
  readonly arrivesAs: Address;
  readonly message: Message;
  readonly earliest: number; // ticks before it can arrive; 0 where time does not count
  readonly latest: number; // ticks within which it arrives
  readonly late: boolean; // its sender had recorded its state for a snapshot
  readonly past: readonly number[] | null; // causal channels: how many messages sent before it are still on their way, by channel
  readonly copy: boolean; // causal channels: it has arrived before, so that nobody waits for it
}

type EnvelopeOf = (envelope: number) => Envelope;

const isSameChannel = (a: Envelope, b: Envelope) => a.from === b.from && a.arrivesAs === b.arrivesAs;

/** Unordered, it is a bag, sorted; otherwise the channels one after the other, each in the order of sending. */
export function withEnvelope(
  inbox: readonly number[],
  envelope: number,
  channels: ChannelKind,
  itemOf: EnvelopeOf,
): number[] {
  const isBefore =
    channels === 'unordered'
      ? (other: number) => other <= envelope
      : (other: number) => !isAfter(itemOf(other), itemOf(envelope));
  const at = inbox.findLastIndex(isBefore) + 1;
  return [...inbox.slice(0, at), envelope, ...inbox.slice(at)];
}

const isAfter = (a: Envelope, b: Envelope) =>
  a.from > b.from || (a.from === b.from && a.arrivesAs > b.arrivesAs);

export function withoutEnvelope(inbox: readonly number[], envelope: number): number[] {
  const at = inbox.indexOf(envelope);
  return [...inbox.slice(0, at), ...inbox.slice(at + 1)];
}

/** How many messages that were sent before it are on their way on the channel of one of them, where channels keep an order. */
export function aheadOf(inbox: readonly number[], at: number, itemOf: EnvelopeOf): number {
  const one = itemOf(inbox[at]!);
  const isAhead = (envelope: number) =>
    isSameChannel(itemOf(envelope), one) && itemOf(envelope).copy === one.copy;
  return inbox.slice(0, at).filter(isAhead).length;
}

/** Those that may arrive next, each once. `receiver` is for causal channels. */
export function deliverable(
  inbox: readonly number[],
  channels: ChannelKind,
  itemOf: EnvelopeOf,
  isFree: (envelope: Envelope) => boolean,
): number[] {
  const distinct = inbox.filter((envelope, k) => inbox.indexOf(envelope) === k);
  return distinct.filter((envelope) => {
    const one = itemOf(envelope);
    if (one.earliest > 0 || !isFree(one)) return false;
    return (
      channels === 'unordered' || itemOf(inbox.find((other) => isSameChannel(itemOf(other), one))!) === one
    );
  });
}
