// Members with one mistake each, and mistakes around them. The search must find every one.
import { lamport, liHudak, ricartAgrawala, singhal } from '../../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { Directory, type DirectoryContext } from '../../../src/member/directory.ts';
import { HomeProtocol, type HomeProtocolContext } from '../../../src/member/home-protocol.ts';
import {
  type ExitCause,
  epochOf,
  type Host,
  Member,
  type MemberId,
  type MemberMessage,
  type MemberOptions,
  positionIn,
  type UnservedRequests,
  type View,
} from '../../../src/member/index.ts';
import type { LockTable } from '../../../src/member/lock-table.ts';
import type { HomeMessage } from '../../../src/member/member-messages.ts';
import { slotCount } from '../../../src/member/slots.ts';
import type { StartedRuns } from '../../../src/member/started-runs.ts';
import { ViewRuns } from '../../../src/member/view-runs.ts';
import { faultyVariants } from '../../cluster/simulation/faulty-variants.ts';
import type { Fault, Instance } from './instance.ts';
import type { MemberClass } from './scripted-host.ts';

type R = string;

// Mistakes in the protocol with homes.

/** A member that sends other messages to homes and in runs. Null: the message is not sent. */
const sending = (change: (message: MemberMessage) => MemberMessage | null): MemberClass =>
  class extends Member<R> {
    protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
      return super.createProtocol({
        ...context,
        sendTo(to, message) {
          const changed = change(message);
          if (changed !== null) context.sendTo(to, changed);
        },
      });
    }
  };

/** A member that takes part in runs in another way. */
const running = (change: (runs: StartedRuns<R>, locks: LockTable<R>) => void): MemberClass =>
  class extends Member<R> {
    protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
      const protocol = super.createProtocol(context);
      change(protocol.runs, context.locks);
      return protocol;
    }
  };

/** A member that is a home in another way. */
const homing = (create: new (context: DirectoryContext) => Directory): MemberClass =>
  class extends Member<R> {
    protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
      return new (class extends HomeProtocol<R> {
        protected override createDirectory(inner: DirectoryContext): Directory {
          return new create(inner);
        }
      })(context);
    }
  };

class StartsWithoutTheSilent extends Directory {
  protected override mayStartWithoutAll(): boolean {
    return true;
  }
}

class AsksNobodyAsNewHome extends Directory {
  override viewChanged(view: View, homes: readonly MemberId[], isNext: boolean): void {
    super.viewChanged(view, homes, isNext);
    const slots = Array.from({ length: slotCount }, (_, slot) => slot);
    const [{ id }] = view.members as [View['members'][0]];
    this.onReport({ type: 'report', epoch: view.epoch, slots, locks: [], isLast: true }, id);
  }
}

/** Of a lock that nobody uses any more. */
class ForgetsFences extends Directory {
  override onStopped(message: HomeMessage & { type: 'stopped' }, from: MemberId): boolean {
    const entry = this.inspectState().entries.find(({ lock }) => lock === message.lock);
    return super.onStopped(entry?.round?.wanting.length === 0 ? { ...message, last: 0 } : message, from);
  }

  override onIdle(message: HomeMessage & { type: 'idle' }, from: MemberId): boolean {
    const locks = message.locks.map((lock) => ({ ...lock, last: lock.last && 0 }));
    return super.onIdle({ ...message, locks }, from);
  }
}

const goesOnAfterStop = running((runs, locks) => {
  const onStop = runs.onStop.bind(runs);
  runs.onStop = (stop, home) => {
    const run = locks.get(stop.lock)?.run ?? null;
    const isPossible = onStop(stop, home);
    const lock = locks.get(stop.lock)!;
    lock.run = run;
    lock.over = 0;
    return isPossible;
  };
});

const requestsBeforeReentry = running((runs, locks) => {
  const onStart = runs.onStart.bind(runs);
  runs.onStart = (start) => {
    const isPossible = onStart(start);
    const lock = locks.get(start.lock);
    if (lock?.run?.inherited) {
      lock.run.inherited.hasReentered = true;
      locks.advance(lock);
    }
    return isPossible;
  };
});

const claimsTokenBeforeReentry = running((runs, locks) => {
  const onStop = runs.onStop.bind(runs);
  runs.onStop = (stop, home) => {
    const inherited = locks.get(stop.lock)?.run?.inherited;
    if (inherited) inherited.hasReentered = true;
    return onStop(stop, home);
  };
});

const wantsOnlyOnce = running((runs, locks) => {
  const viewChanged = runs.viewChanged.bind(runs);
  let before = -1;
  runs.viewChanged = (view, homes) => {
    for (const lock of locks) if (lock.wantedIn === before) lock.wantedIn = view.epoch;
    before = view.epoch;
    viewChanged(view, homes);
  };
});

const tellsNobodyAfterStop = running((runs, locks) => {
  const onStart = runs.onStart.bind(runs);
  runs.onStart = (start) => onStart({ ...start, unanswered: [] });
  const viewChanged = runs.viewChanged.bind(runs);
  runs.viewChanged = (view, homes) => {
    for (const lock of locks) lock.left = null;
    viewChanged(view, homes);
  };
});

class RefusesNoOldRuns extends Member<R> {
  protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
    let isRefusing = false;
    const protocol = super.createProtocol({
      ...context,
      sendTo(to, message) {
        if (!isRefusing || message.type !== 'over') context.sendTo(to, message);
      },
    });
    const { runs } = protocol;
    const received = runs.received.bind(runs);
    runs.received = (message, from) => {
      isRefusing = true;
      const isPossible = received(message, from);
      isRefusing = false;
      return isPossible;
    };
    return protocol;
  }
}

class ClaimsTokenTwice extends Member<R> {
  declare claimed: Set<string>;

  protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
    this.claimed = new Set();
    const { claimed } = this;
    const protocol = super.createProtocol({
      ...context,
      sendTo(to, message) {
        if (message.type !== 'stopped') context.sendTo(to, message);
        else {
          const { claim, lock } = message;
          if (claim === 'token') claimed.add(lock);
          context.sendTo(to, { ...message, claim: claim === 'none' && claimed.has(lock) ? 'token' : claim });
        }
      },
    });
    const onStart = protocol.runs.onStart.bind(protocol.runs);
    protocol.runs.onStart = (start) => {
      claimed.delete(start.lock);
      return onStart(start);
    };
    return protocol;
  }

  override inspectState() {
    return { ...super.inspectState(), claimed: [...this.claimed] };
  }
}

class AcceptsOldStarts extends Member<R> {
  declare protocol: HomeProtocol<R>;
  readonly #views = new Map<number, View>();

  protected override createProtocol(context: HomeProtocolContext<R>): HomeProtocol<R> {
    this.protocol = super.createProtocol(context);
    return this.protocol;
  }

  override viewChanged(view: View): void {
    this.#views.set(view.epoch, view);
    super.viewChanged(view);
  }

  override received(from: MemberId, message: MemberMessage): void {
    const then = message.type === 'start' && this.#views.get(epochOf(message.run));
    if (!then || then.epoch === this.view!.epoch || message.type !== 'start') super.received(from, message);
    else {
      const members = message.members.map((at) => positionIn(this.view!, then.members[at]!.id));
      if (members.every((at) => at >= 0)) this.protocol.runs.onStart({ ...message, members, unanswered: [] });
    }
  }
}

class MissesNoViews extends Member<R> {
  override viewChanged(view: View): void {
    super.viewChanged({ ...view, ...(this.view !== null && { after: this.view.epoch }) });
  }
}

/** Messages were lost, and the other side is not told. */
class AnnouncesNoGaps extends Member<R> {
  constructor(options: MemberOptions, host: Host<R>) {
    const send = (to: MemberId, message: MemberMessage) => {
      if (message.type !== 'gap') host.send(to, message);
    };
    const get = (_: unknown, key: keyof Host<R>) => (key === 'send' ? send : host[key].bind(host));
    super(options, new Proxy(host, { get: get as never }));
  }
}

// Mistakes in the flush protocol.

class FlushesNothing extends Member<R> {
  constructor(options: MemberOptions, host: Host<R>) {
    super(options, host);
    this.locks.held = () => [];
  }
}

/** A member that changes something when a view of the flush protocol begins. */
const flushing = (change: (begin: () => void, runs: ViewRuns<R>, locks: LockTable<R>) => void): MemberClass =>
  class extends Member<R> {
    constructor(options: MemberOptions, host: Host<R>) {
      super(options, host);
      const useSource = this.locks.useSource.bind(this.locks);
      this.locks.useSource = (source) => {
        if (source instanceof ViewRuns) change(() => useSource(source), source, this.locks);
        else useSource(source);
      };
    }
  };

const opensBeforeReentry = flushing((begin, runs) => {
  const install = runs.install.bind(runs);
  runs.install = (held) => {
    install(held);
    for (const { lock, by } of held) runs.onOpen(lock, by);
  };
  begin();
});

const continuesRunsAfterFlush = flushing((begin, _, locks) => {
  const runs = [...locks].map((lock) => [lock, lock.run] as const);
  const isHeld = locks.held().length > 0;
  begin();
  if (!isHeld) for (const [lock, run] of runs) lock.run = run;
});

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

// Mistakes in both.

class DropsEarlyMessages extends Member<R> {
  override received(from: MemberId, message: MemberMessage): void {
    const isEarly = 'epoch' in message && message.type !== 'view' && message.epoch > (this.view?.epoch ?? -1);
    if (!isEarly) super.received(from, message);
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

/** As `pair`, with members of a version before 6: their protocol is the flush protocol. */
const oldPair = (faults: readonly Fault[], more: Partial<Instance> = {}): Instance =>
  pair(faults, { old: [0, 1, 2], ...more });

/** A mistake that the random simulation of groups also has. */
const known = (name: string): MemberClass => faultyVariants[name]!.member as MemberClass;

/**
 * a is the home of q, and b holds q. d joins and is the home, but a does not see that view. d starts q for b and c, without a. Then c holds q. If
 * d dies, a is the home again.
 */
const missedView = [
  ...['b requests', 'a1 receives from b1: {"type":"want"', 'b1 receives from a1: {"type":"start"'],
  ...['d1 joins', 'd1 learns', 'b1 learns', 'c1 learns', 'timer of d1 fires: sync'],
  ...['b1 receives from d1: {"type":"sync"', 'c1 receives from d1: {"type":"sync"'],
  ...['d1 receives from b1: {"type":"report"', 'd1 receives from c1: {"type":"report"'],
  ...['c requests', 'd1 receives from c1: {"type":"want"'],
  ...['b1 receives from d1: {"type":"stop"', 'c1 receives from d1: {"type":"stop"'],
  ...[
    'd1 receives from b1: {"type":"stopped"',
    'd1 receives from c1: {"type":"stopped"',
    'timer of d1 fires: grace',
  ],
  ...['b1 receives from d1: {"type":"start"', 'c1 receives from d1: {"type":"start"'],
  ...['b1 receives from c1: {"type":"step"', 'b releases', 'c1 receives from b1: {"type":"step"'],
];

/** a starts a run with b, and learns that a channel broke before b hears of the run. It breaks again, so `over` is lost, too. */
const brokenTwice = [
  ...[
    'a requests',
    'b requests',
    'a1 receives from b1: {"type":"want"',
    'b1 receives from a1: {"type":"stop"',
  ],
  ...[
    'a1 receives from b1: {"type":"stopped"',
    'the channel a1>b1 is broken; messages lost: 0',
    'a1 is told',
  ],
  'the channel a1>b1 is broken; messages lost: 1',
];

/** a starts a run with b, which holds the lock. b has not heard of it when a view begins that calls a silent. */
const halfStarted = [
  ...[
    'a hangs',
    'b requests',
    'timer of b1 fires: tick',
    'a wakes up',
    'a1 receives from b1: {"type":"want"',
  ],
  ...['a requests', 'b1 receives from a1: {"type":"start"', 'b1 receives from a1: {"type":"stop"'],
  ...['a1 receives from b1: {"type":"stopped"', 'the engine replaces view 1'],
];

/** b claims its token in a round after which the lock is forgotten, and sees the next view before it hears of that. */
const claimedOnce = [
  ...[
    'b requests',
    'a1 receives from b1: {"type":"want"',
    'b1 receives from a1: {"type":"start"',
    'b releases',
  ],
  ...['c requests', 'c cancels', 'a1 receives from c1: {"type":"want"'],
  ...['b1 receives from a1: {"type":"stop"', 'c1 receives from a1: {"type":"stop"'],
  ...['a1 receives from b1: {"type":"stopped"', 'a1 receives from c1: {"type":"stopped"'],
  ...['a1 asks for a new epoch', 'the engine replaces view 1', 'b1 learns of view 2'],
  ...['a1 learns of view 2', 'c requests', 'c1 learns of view 2', 'a1 receives from c1: {"type":"want"'],
];

/** b gives up a run with a, and cancels its request. The home does not hear that b wanted the lock, as a new view begins. */
const gaveUp = [
  ...['a requests', 'a releases', 'b requests', 'a1 receives from b1: {"type":"want"'],
  ...['b1 receives from a1: {"type":"stop"', 'a1 receives from b1: {"type":"stopped"'],
  ...['b1 receives from a1: {"type":"start"', 'timer of b1 fires: tick', 'b cancels'],
  ...['a1 asks for a new epoch', 'the engine replaces view 1', 'a1 learns of view 2'],
];

/** Each mistake with the smallest instance in which it is found, and the violation. */
export const plantedMistakes: Readonly<Record<string, readonly [Instance, violation: RegExp]>> = {
  // The protocol with homes.
  'a run starts without an answer and without a claim': [
    pair(['hang'], { isInstalled: true, member: homing(StartsWithoutTheSilent) }),
    /hold|does not rise|lost track/,
  ],
  'a member goes on after it has stopped': [
    pair([], { members: 3, isInstalled: true, member: goesOnAfterStop }),
    /hold|does not rise|never served/,
  ],
  'a new home asks nobody': [
    pair(['join'], {
      outside: 1,
      asks: [['d'], ['d'], []],
      isInstalled: true,
      member: homing(AsksNobodyAsNewHome),
    }),
    /hold|does not rise/,
  ],
  'fences of the last run not asked for': [
    pair([], {
      isInstalled: true,
      member: sending((message) => (message.type === 'stopped' ? { ...message, last: 0 } : message)),
    }),
    /does not rise/,
  ],
  'fences of forgotten locks forgotten': [
    pair(['sweep'], { asks: [['x', 'x'], []], isInstalled: true, member: homing(ForgetsFences) }),
    /does not rise/,
  ],
  'start of an older view accepted': [
    pair(['join', 'death'], {
      outside: 1,
      asks: [[], ['d'], ['d']],
      atMost: 2,
      isInstalled: true,
      script: ['b requests', 'c1 joins', 'b1 learns', 'c requests', 'c1 learns'],
      member: AcceptsOldStarts,
    }),
    /hold|does not rise/,
  ],
  'wants not sent again in a new view': [
    pair(['new epoch'], { isInstalled: true, member: wantsOnlyOnce }),
    /never served/,
  ],
  'a member with a half-started run does not ask for it': [
    pair(['new epoch'], {
      algorithm: ricartAgrawala as AnyAlgorithm,
      isInstalled: true,
      member: sending((message) => (message.type === 'want' && !message.isWaiting ? null : message)),
    }),
    /never served/,
  ],
  'a token claimed twice': [
    pair(['cancel', 'new epoch', 'hang'], {
      members: 3,
      asks: [['x'], ['x'], ['x', 'x']],
      atMost: 3,
      isInstalled: true,
      script: claimedOnce,
      member: ClaimsTokenTwice,
    }),
    /hold|lost track|does not rise/,
  ],
  'a token claimed before the holder has re-entered': [
    pair(['hang'], {
      algorithm: singhal as AnyAlgorithm,
      isInstalled: true,
      member: claimsTokenBeforeReentry,
    }),
    /hold|does not rise|lost track/,
  ],
  'requests before the holder has re-entered': [
    pair([], { algorithm: ricartAgrawala as AnyAlgorithm, isInstalled: true, member: requestsBeforeReentry }),
    /hold/,
  ],
  'steps of old runs not refused': [
    pair(['impatient', 'cancel', 'new epoch', 'sweep'], {
      asks: [['x', 'x'], ['x']],
      atMost: 4,
      isInstalled: true,
      script: gaveUp,
      member: RefusesNoOldRuns,
    }),
    /never served/,
  ],
  'a member that has stopped tells nobody': [
    pair(['hang', 'speak again'], {
      algorithm: ricartAgrawala as AnyAlgorithm,
      atMost: 2,
      isInstalled: true,
      script: halfStarted,
      member: tellsNobodyAfterStop,
    }),
    /never served/,
  ],
  'lost messages not announced': [
    pair(['broken'], { atMost: 2, isInstalled: true, script: brokenTwice, member: AnnouncesNoGaps }),
    /hold|never served|does not rise/,
  ],
  'a missed view not noticed': [
    pair(['join', 'impatient', 'death'], {
      members: 3,
      outside: 1,
      asks: [['q'], ['q'], ['q'], []],
      atMost: 3,
      isInstalled: true,
      script: [...missedView, 'd dies'],
      member: MissesNoViews,
    }),
    /hold|does not rise|never served/,
  ],
  'the home not told of a run that was left': [
    pair(['sweep'], {
      asks: [['x', 'x'], []],
      isInstalled: true,
      member: sending((message) => (message.type === 'idle' ? null : message)),
    }),
    /keeps more/,
  ],
  // The flush protocol.
  'epoch not checked': [
    oldPair(['new epoch'], { member: known('epoch not checked') }),
    /hold|never served|does not rise|no working member/,
  ],
  'install before every flush arrived': [
    oldPair(['join'], { outside: 1, member: known('install before every flush arrived') }),
    /no working member/,
  ],
  'refresh before the install ignored': [
    oldPair(['broken'], { asks: [['x'], []], member: IgnoresRefreshBeforeInstall }),
    /never served/,
  ],
  'flush without held locks': [oldPair(['new epoch'], { member: FlushesNothing }), /hold/],
  'opened before the holder has re-entered': [
    oldPair(['new epoch'], { algorithm: ricartAgrawala as AnyAlgorithm, member: opensBeforeReentry }),
    /hold/,
  ],
  'runs continue after the flush': [
    oldPair(['new epoch'], { member: continuesRunsAfterFlush }),
    /hold|never served|does not rise/,
  ],
  'release between views ignored': [
    oldPair(['new epoch'], { member: IgnoresReleaseBetweenViews }),
    /keeps more/,
  ],
  // Both.
  'fence not raised from entry to entry': [
    pair([], { member: known('fence not raised from entry to entry') }),
    /does not rise/,
  ],
  'the epoch is not in the fence': [
    pair(['new epoch'], { member: known('fence not raised from view to view') }),
    /does not rise/,
  ],
  'cancelled request still queued': [
    pair(['cancel'], { member: known('cancelled request still queued') }),
    /withdrawn/,
  ],
  'messages after a gap': [
    pair(['broken'], { algorithm: lamport as AnyAlgorithm, member: known('messages after a gap') }),
    /does not rise|hold|never served/,
  ],
  'broken channel not reported': [pair(['broken'], { member: IgnoresBrokenChannels }), /never served/],
  'new epoch requested only once': [
    pair(['broken', 'lost proposal'], {
      asks: [[], ['x']],
      atMost: 2,
      isInstalled: true,
      member: AsksOnceForANewEpoch,
    }),
    /never served/,
  ],
  'early message dropped': [pair([], { member: DropsEarlyMessages }), /never served/],
  'waiting requests forgotten in a new view': [
    pair(['new epoch'], { member: ForgetsWaitersInNewView }),
    /never served/,
  ],
  'waiting requests lost with the member': [
    pair(['lease ends'], { member: LosesWaitersAtTheEnd }),
    /loses a waiting/,
  ],
  'dead member not removed': [pair(['death'], { member: NeverRemovesTheDead }), /never served/],
  'lease not checked': [pair(['lease ends'], { mistake: 'lease not checked' }), /hold/],
  'epoch not raised by a wiped engine': [
    pair(['wipe'], { mistake: 'epoch not raised by a wiped engine' }),
    /hold|does not rise|never served/,
  ],
  'forgotten member stays': [pair(['wipe'], { mistake: 'forgotten member stays' }), /never served/],
};
