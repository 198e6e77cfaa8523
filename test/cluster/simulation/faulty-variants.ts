// Groups with one fault each, to see that it shows.
import {
  Lease,
  type LocalClocks,
  Member,
  type MemberId,
  type PeerClock,
  type PeerClockReading,
  PeerClocks,
  type View,
} from '../../../src/member/index.ts';
import { SimulatedEngine } from './engine.ts';
import { real, type Variant } from './simulate-group.ts';

class HandlesOldMessages<W> extends Member<W> {
  protected override isOld(): boolean {
    return false;
  }
}

class FenceStaysInView<W> extends Member<W> {
  protected override fence(epoch: number): number {
    return super.fence(epoch, 1);
  }
}

class FenceForgetsTheView<W> extends Member<W> {
  protected override fence(_epoch: number, entry: number): number {
    return super.fence(1, entry);
  }
}

class InstallsTooEarly<W> extends Member<W> {
  protected override haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean {
    return 2 * flushes.size > view.members.length;
  }
}

class StaysQueued<W> extends Member<W> {
  override cancel(): void {}
}

class SendsAfterAGap<W> extends Member<W> {
  override channelBroke(): void {
    this.requestNewEpoch();
  }
}

class CountsFromArrival extends Lease {
  override renewed(): void {
    super.renewed(this.startRenewal());
  }
}

class RevivesExpiredLease extends Lease {
  readonly #clocks: LocalClocks;
  readonly #lasts: number;
  #until = 0;

  constructor(clocks: LocalClocks, lasts: number) {
    super(clocks, lasts);
    this.#clocks = clocks;
    this.#lasts = lasts;
  }

  override renewed(sent: { readonly monotonic: number }): void {
    this.#until = Math.max(this.#until, sent.monotonic + this.#lasts);
  }

  override get isOver(): boolean {
    return this.#clocks.monotonic() >= this.#until;
  }
}

class NeverOver extends Lease {
  override get isOver(): boolean {
    return false;
  }
}

class TrustsHalfAsFar extends PeerClocks {
  override of(id: MemberId): PeerClock | null {
    const clock = super.of(id);
    return clock && { ...clock, error: clock.error / 2 };
  }
}

class DoesNotReadTheWall extends PeerClocks {
  #lead: number | null = null;

  override reading(): PeerClockReading {
    const reading = super.reading();
    this.#lead ??= reading.wall - reading.heard;
    return { ...reading, wall: reading.heard + this.#lead };
  }
}

class CountsWhatIsStored extends SimulatedEngine {
  protected override leastEpoch(): number {
    return 1;
  }
}

const member = (faulty: typeof Member): Variant => ({ ...real, member: faulty });
const lease = (faulty: typeof Lease): Variant => ({ ...real, lease: faulty });

export const planted: Readonly<Record<string, Variant>> = {
  'epoch not checked': member(HandlesOldMessages),
  'fence not raised from entry to entry': member(FenceStaysInView),
  'fence not raised from view to view': member(FenceForgetsTheView),
  'install before every flush arrived': member(InstallsTooEarly),
  'cancelled wait still queued': member(StaysQueued),
  'words after a gap': { ...member(SendsAfterAGap), algorithm: 'lamport' }, // which needs channels in order
  'lease counted from arrival': lease(CountsFromArrival),
  'lease that a late renewal wakes, and sleep does not end': lease(RevivesExpiredLease),
  'lease not looked at': lease(NeverOver),
  'clocks told too exactly': { ...real, clocks: TrustsHalfAsFar },
  'wall clocks read only once': { ...real, clocks: DoesNotReadTheWall },
  'epoch not raised when the engine has forgotten': { ...real, engine: CountsWhatIsStored },
};
