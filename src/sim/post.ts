import type { Address, Message, Pid } from '../core/algorithm.ts';
import { freeze } from '../core/plain.ts';
import type { CausalChannels } from './causal.ts';
import type { Codes } from './codes.ts';
import type { Network } from './network.ts';
import type { Recorder } from './recorder.ts';
import type { Setup } from './scenario.ts';
import { never, type Wheel } from './wheel.ts';

interface Parts {
  readonly setup: Setup;
  readonly freezes: boolean;
  readonly wheel: Wheel;
  readonly codes: Codes;
  readonly network: Network;
  readonly causal: CausalChannels | null;
  readonly recorder: Recorder | null;
}

export interface Letter {
  readonly from: Pid;
  readonly link: number;
  readonly to: Pid;
  readonly kind: number;
  readonly arrivesAs: Address;
  readonly message: Message;
}

/** Sends where a message can be lost, repeated or must be looked at. */
export class Post {
  readonly #parts: Parts;
  #serial = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  send(time: number, { from, link, to, kind, arrivesAs, message }: Letter): void {
    const { setup, freezes, wheel, codes, network, causal, recorder } = this.#parts;
    const serial = this.#serial;
    this.#serial += 1;
    if (freezes) freeze(message);
    recorder?.send(serial, to, linkInTrace(setup, from, link), message);
    if (network.loses(serial) || network.isCut(from, to)) {
      this.#launch(time, to, codes.lose, 0, null, serial);
      return;
    }
    const content = causal?.sent(from, to, message) ?? message;
    this.#launch(time, to, kind, arrivesAs, content, serial);
    if (network.repeats()) {
      const again = network.arrival(wheel.now, from, link, to);
      this.#launch(again, to, kind, arrivesAs, content, serial);
    }
  }

  #launch(time: number, to: Pid, code: number, arrivesAs: Address, content: unknown, serial: number): void {
    if (time >= never) return; // behind a partition that does not heal
    const { wheel, recorder } = this.#parts;
    const slot = wheel.add(time, to, code, arrivesAs, content);
    if (recorder) wheel.serial[slot] = serial;
  }
}

/** The link as a trace gives it: only where the receiver's position does not tell. */
export const linkInTrace = ({ topology, algorithm }: Setup, from: Pid, link: number): number | null =>
  !algorithm.knows.includes('me') && topology.isMultiple(from) ? link : null;
