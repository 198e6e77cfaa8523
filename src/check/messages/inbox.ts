// The messages in flight to one process. An inbox is a list of envelopes in a canonical order, so that two inboxes are equal if no process can
// tell them apart. On causal channels envelopes count the messages in flight before them. The counts of core/causal-delivery.ts include
// messages that have arrived, and with those no world would be reached twice.
import type { Address, ChannelKind, Message, Pid } from '../../core/algorithm.ts';
import type { EnvelopeId } from '../ids.ts';

/** A message in flight. */
export interface Envelope {
  readonly from: Pid; // on a symmetric ring, its distance from the receiver
  readonly arrivesAs: Address;
  readonly message: Message;
  readonly earliest: number; // ticks before it can arrive; 0 without timing assumptions
  readonly latest: number; // ticks within which it arrives
  readonly late: boolean; // its sender had recorded its state for a snapshot before
  readonly past: readonly number[] | null; // causal channels: how many messages sent before it are still in flight, by channel
  readonly chain: number; // messages of the longest causal chain that ends with it; 0 where no bound on chains is checked
  readonly copy: boolean; // causal channels: it has arrived before, so no message waits for it
}

type EnvelopeOf = (envelope: EnvelopeId) => Envelope;

const isSameChannel = (a: Envelope, b: Envelope) => a.from === b.from && a.arrivesAs === b.arrivesAs;

/** Adds an envelope. An unordered inbox is a sorted bag; another one has its channels in turn, each in the order of sending. */
export function withEnvelope(
  inbox: readonly EnvelopeId[],
  envelope: EnvelopeId,
  channels: ChannelKind,
  envelopeOf: EnvelopeOf,
): EnvelopeId[] {
  const isBefore =
    channels === 'unordered'
      ? (other: EnvelopeId) => other <= envelope
      : (other: EnvelopeId) => !isAfter(envelopeOf(other), envelopeOf(envelope));
  const at = inbox.findLastIndex(isBefore) + 1;
  return [...inbox.slice(0, at), envelope, ...inbox.slice(at)];
}

const isAfter = (a: Envelope, b: Envelope) =>
  a.from > b.from || (a.from === b.from && a.arrivesAs > b.arrivesAs);

export function withoutEnvelope(inbox: readonly EnvelopeId[], envelope: EnvelopeId): EnvelopeId[] {
  const at = inbox.indexOf(envelope);
  return [...inbox.slice(0, at), ...inbox.slice(at + 1)];
}

/** Returns how many envelopes are ahead of the one at `at` on its channel, where channels keep the order. */
export function aheadOf(inbox: readonly EnvelopeId[], at: number, envelopeOf: EnvelopeOf): number {
  const one = envelopeOf(inbox[at]!);
  const isAhead = (envelope: EnvelopeId) =>
    isSameChannel(envelopeOf(envelope), one) && envelopeOf(envelope).copy === one.copy;
  return inbox.slice(0, at).filter(isAhead).length;
}

/** Returns the envelopes that may be received next, each once. `isFree` says whether causal order allows it. */
export function deliverable(
  inbox: readonly EnvelopeId[],
  channels: ChannelKind,
  envelopeOf: EnvelopeOf,
  isFree: (envelope: Envelope) => boolean,
): EnvelopeId[] {
  const distinct = inbox.filter((envelope, k) => inbox.indexOf(envelope) === k);
  return distinct.filter((envelope) => {
    const one = envelopeOf(envelope);
    if (one.earliest > 0 || !isFree(one)) return false;
    return (
      channels === 'unordered' ||
      envelopeOf(inbox.find((other) => isSameChannel(envelopeOf(other), one))!) === one
    );
  });
}
