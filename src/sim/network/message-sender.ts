import type { Address, Message, Pid } from '../../core/algorithm.ts';
import { freeze } from '../../core/plain-data.ts';
import type { EventCodes } from '../events/event-codes.ts';
import type { TimingWheel } from '../events/timing-wheel.ts';
import { never } from '../scenario/number-checks.ts';
import type { Setup } from '../scenario/setup.ts';
import type { TraceRecorder } from '../trace-recorder.ts';
import type { CausalChannels } from './causal-channels.ts';
import { linkInTrace } from './link-names.ts';
import type { NetworkModel } from './network-model.ts';

interface SenderParts {
  readonly setup: Setup;
  readonly freezes: boolean;
  readonly wheel: TimingWheel;
  readonly codes: EventCodes;
  readonly network: NetworkModel;
  readonly causal: CausalChannels | null;
  readonly recorder: TraceRecorder | null;
}

export interface OutgoingMessage {
  readonly from: Pid;
  readonly link: number;
  readonly to: Pid;
  readonly kind: number;
  readonly arrivesAs: Address;
  readonly message: Message;
}

/** Sends a message that may be lost, repeated or recorded. */
export class MessageSender {
  readonly #parts: SenderParts;
  #serial = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  send(time: number, { from, link, to, kind, arrivesAs, message }: OutgoingMessage): void {
    const { setup, freezes, wheel, codes, network, causal, recorder } = this.#parts;
    const serial = this.#serial;
    this.#serial += 1;
    if (freezes) freeze(message);
    recorder?.send(serial, to, linkInTrace(setup, from, link), message);
    if (network.loses(serial) || network.isCut(from, to)) {
      this.#schedule(time, to, codes.lose, 0, null, serial);
      return;
    }
    const content = causal?.sent(from, to, message) ?? message;
    this.#schedule(time, to, kind, arrivesAs, content, serial);
    if (network.repeats()) {
      const again = network.arrival(wheel.now, from, link, to);
      this.#schedule(again, to, kind, arrivesAs, content, serial);
    }
  }

  #schedule(time: number, to: Pid, code: number, arrivesAs: Address, content: unknown, serial: number): void {
    if (time >= never) return; // held by a partition that never heals
    const { wheel, recorder } = this.#parts;
    const slot = wheel.add(time, to, code, arrivesAs, content);
    if (recorder) wheel.serial[slot] = serial;
  }
}
