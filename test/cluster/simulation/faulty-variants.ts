// Groups with one fault each, to test that the simulation detects it.
import { Directory, type DirectoryContext } from '../../../src/member/directory.ts';
import { HomeProtocol, type HomeProtocolContext } from '../../../src/member/home-protocol.ts';
import {
  epochOf,
  fenceOf,
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

class HandlesOldMessages<R> extends Member<R> {
  protected override isOld(): boolean {
    return false;
  }
}

class FenceStaysInView<R> extends Member<R> {
  protected override fence(last: number): number {
    return fenceOf(epochOf(last), 1);
  }
}

class FenceForgetsTheView<R> extends Member<R> {
  protected override fence(last: number): number {
    return last - fenceOf(epochOf(last), 0);
  }
}

class InstallsTooEarly<R> extends Member<R> {
  protected override haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean {
    return 2 * flushes.size > view.members.length;
  }
}

/** A home that does not wait for members that may hold the lock. */
class ImpatientDirectory extends Directory {
  protected override mayStartWithoutAll(): boolean {
    return true;
  }
}

class ImpatientProtocol<R> extends HomeProtocol<R> {
  protected override createDirectory(context: DirectoryContext): Directory {
    return new ImpatientDirectory(context);
  }
}

class StartsWithoutSilentMembers<R> extends Member<R> {
  protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
    return new ImpatientProtocol(context);
  }
}

class StaysQueued<R> extends Member<R> {
  override cancel(): void {}
}

class SendsAfterAGap<R> extends Member<R> {
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
  readonly #durationMs: number;
  #until = 0;

  constructor(clocks: LocalClocks, durationMs: number) {
    super(clocks, durationMs);
    this.#clocks = clocks;
    this.#durationMs = durationMs;
  }

  override renewed(sent: { readonly monotonic: number }): void {
    this.#until = Math.max(this.#until, sent.monotonic + this.#durationMs);
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
  protected override epochAt(): number {
    return 0;
  }

  protected override isEarly(): boolean {
    return false;
  }
}

class RunsAheadOfTheClock extends SimulatedEngine {
  protected override isEarly(): boolean {
    return false;
  }
}

const member = (faulty: typeof Member): Variant => ({ ...real, member: faulty });
const lease = (faulty: typeof Lease): Variant => ({ ...real, lease: faulty });

export const faultyVariants: Readonly<Record<string, Variant>> = {
  'epoch not checked': { ...member(HandlesOldMessages), age: 'old' },
  'fence not raised from entry to entry': member(FenceStaysInView),
  'fence not raised from view to view': member(FenceForgetsTheView),
  'install before every flush arrived': { ...member(InstallsTooEarly), age: 'old' },
  'run started without members that are silent': { ...member(StartsWithoutSilentMembers), age: 'new' },
  'cancelled request still queued': member(StaysQueued),
  'messages after a gap': { ...member(SendsAfterAGap), algorithm: 'lamport' }, // it needs FIFO channels
  'lease counted from arrival': lease(CountsFromArrival),
  'lease revived by a late renewal, and not ended by sleep': lease(RevivesExpiredLease),
  'lease not checked': lease(NeverOver),
  'clock error bounds too small': { ...real, clocks: TrustsHalfAsFar },
  'wall clocks read only once': { ...real, clocks: DoesNotReadTheWall },
  'epoch not raised after the engine lost its data': { ...real, engine: CountsWhatIsStored },
  'view created before the time of its epoch': { ...real, engine: RunsAheadOfTheClock },
};
