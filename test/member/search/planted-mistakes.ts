// Members with one mistake each, and mistakes around them. The search must find every one.
import { lamport, liHudak, ricartAgrawala } from '../../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import {
  type ExitCause,
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type MemberOptions,
  type UnservedRequests,
  type View,
} from '../../../src/member/index.ts';
import { faultyVariants } from '../../cluster/simulation/faulty-variants.ts';
import type { Fault, Instance } from './instance.ts';
import type { MemberClass } from './scripted-host.ts';

type R = string;

class DropsEarlyMessages extends Member<R> {
  override received(from: MemberId, message: MemberMessage): void {
    const isEarly = 'epoch' in message && message.type !== 'view' && message.epoch > (this.view?.epoch ?? -1);
    if (!isEarly) super.received(from, message);
  }
}

class FlushesNothing extends Member<R> {
  constructor(options: MemberOptions, host: Host<R>) {
    super(options, host);
    this.locks.held = () => [];
  }
}

class RequestsBeforeReentry extends Member<R> {
  constructor(options: MemberOptions, host: Host<R>) {
    super(options, host);
    const begin = this.locks.begin.bind(this.locks);
    this.locks.begin = (view, position, held) => {
      begin(view, position, held);
      for (const { lock, by } of held) this.locks.onOpen(lock, by);
    };
  }
}

class ContinuesRunsAfterFlush extends Member<R> {
  constructor(options: MemberOptions, host: Host<R>) {
    super(options, host);
    const stop = this.locks.stop.bind(this.locks);
    this.locks.stop = () => {
      if (this.locks.held().length > 0) stop();
    };
  }
}

class ForgetsWaitersInNewView extends Member<R> {
  override viewChanged(view: View): void {
    if (view.epoch > (this.view?.epoch ?? -1))
      for (const lock of [...this.locks]) if (!lock.isHeld && this.view !== null) lock.waiting.length = 0;
    super.viewChanged(view);
  }
}

class LosesWaitersAtTheEnd extends Member<R> {
  override end(cause: ExitCause): UnservedRequests<R>[] {
    super.end(cause);
    return [];
  }
}

class IgnoresReleaseBetweenViews extends Member<R> {
  override release(name: string, request: R): void {
    if (this.isInstalled) super.release(name, request);
  }
}

class IgnoresRefreshBeforeInstall extends Member<R> {
  override received(from: MemberId, message: MemberMessage): void {
    if (message.type !== 'refresh' || this.isInstalled) super.received(from, message);
  }
}

class NeverRemovesTheDead extends Member<R> {
  override peerDied(): void {}
}

class IgnoresBrokenChannels extends Member<R> {
  override channelBroke(): void {}
}

class AsksOnceForANewEpoch extends Member<R> {
  #epoch = -1;

  override requestNewEpoch(): void {
    if (this.#epoch === this.view?.epoch) return;
    this.#epoch = this.view?.epoch ?? -1;
    super.requestNewEpoch();
  }
}

const pair = (faults: readonly Fault[], more: Partial<Instance> = {}): Instance => ({
  algorithm: liHudak as AnyAlgorithm,
  members: 2,
  asks: [['x'], ['x'], ['x']],
  faults,
  atMost: 1,
  ...more,
});

/** A mistake that the random simulation of groups also has. */
const known = (name: string): MemberClass => faultyVariants[name]!.member as MemberClass;

/** Each mistake with the smallest instance in which it is found, and the violation. */
export const plantedMistakes: Readonly<Record<string, readonly [Instance, violation: RegExp]>> = {
  'epoch not checked': [
    pair(['new epoch'], { member: known('epoch not checked') }),
    /hold|never served|does not rise/,
  ],
  'fence not raised from entry to entry': [
    pair([], { member: known('fence not raised from entry to entry') }),
    /does not rise/,
  ],
  'fence not raised from view to view': [
    pair(['new epoch'], { member: known('fence not raised from view to view') }),
    /does not rise/,
  ],
  'install before every flush arrived': [
    pair(['join'], { outside: 1, member: known('install before every flush arrived') }),
    /hold|two members/,
  ],
  'cancelled request still queued': [
    pair(['cancel'], { member: known('cancelled request still queued') }),
    /withdrawn/,
  ],
  'messages after a gap': [
    pair(['broken'], { algorithm: lamport as AnyAlgorithm, member: known('messages after a gap') }),
    /does not rise/, // two enter with one number
  ],
  'broken channel not reported': [pair(['broken'], { member: IgnoresBrokenChannels }), /never served/],
  'new epoch requested only once': [
    pair(['broken', 'lost proposal'], {
      asks: [['x'], []],
      atMost: 2,
      isInstalled: true,
      member: AsksOnceForANewEpoch,
    }),
    /never served/,
  ],
  'refresh before the install ignored': [
    pair(['broken'], { asks: [['x'], []], member: IgnoresRefreshBeforeInstall }),
    /never served/,
  ],
  'early message dropped': [pair([], { member: DropsEarlyMessages }), /never served/],
  'flush without held locks': [pair(['new epoch'], { member: FlushesNothing }), /hold/],
  'request before the holder has re-entered': [
    pair(['new epoch'], { algorithm: ricartAgrawala as AnyAlgorithm, member: RequestsBeforeReentry }),
    /hold/,
  ],
  'runs continue after the flush': [
    pair(['new epoch'], { member: ContinuesRunsAfterFlush }),
    /hold|never served/,
  ],
  'waiting requests forgotten in a new view': [
    pair(['new epoch'], { member: ForgetsWaitersInNewView }),
    /never served/,
  ],
  'waiting requests lost with the member': [
    pair(['lease ends'], { member: LosesWaitersAtTheEnd }),
    /loses a waiting/,
  ],
  'release between views ignored': [
    pair(['new epoch'], { member: IgnoresReleaseBetweenViews }),
    /keeps more/,
  ],
  'dead member not removed': [pair(['death'], { member: NeverRemovesTheDead }), /never served/],
  'lease not checked': [pair(['lease ends'], { mistake: 'lease not checked' }), /hold/],
  'epoch not raised by a wiped engine': [
    pair(['wipe'], { mistake: 'epoch not raised by a wiped engine' }),
    /hold|does not rise|never served/,
  ],
  'forgotten member stays': [pair(['wipe'], { mistake: 'forgotten member stays' }), /never served/],
};
