import type { Message, Pid } from '../../core/algorithm.ts';
import type { InFlight } from '../../machine/index.ts';
import type { DeferredEvents } from '../events/deferred-events.ts';
import type { EventCodes } from '../events/event-codes.ts';
import type { TimingWheel } from '../events/timing-wheel.ts';

/** Where messages in flight are: in the wheel, or deferred at their receiver. */
export interface PendingMessages {
  readonly wheel: TimingWheel;
  readonly deferred: DeferredEvents;
  readonly codes: EventCodes;
  readonly senderOf: (to: Pid, arrivesAs: number) => Pid;
  readonly messageIn: (content: unknown) => Message;
}

/** The messages in flight, including those deferred at their receiver. */
export function inFlightIn({ wheel, deferred, codes, senderOf, messageIn }: PendingMessages): InFlight[] {
  const inFlight: InFlight[] = [];
  const add = (to: Pid, code: number, detail: number, content: unknown) => {
    if (codes.isMessage(code)) inFlight.push({ from: senderOf(to, detail), to, message: messageIn(content) });
  };
  for (const [to, { code, detail, content }] of deferred.all()) add(to, code, detail, content);
  for (const slot of wheel.pending()) {
    add(wheel.process[slot]!, wheel.code[slot]!, wheel.detail[slot]!, wheel.content[slot]);
  }
  return inFlight;
}
