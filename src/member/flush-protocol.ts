// How locks move between members when one of them is of a version before 6. Every change of the view stops all runs. Every member reports
// what it holds to the first member (flush), which sends all of it to all (install). Then runs start again when they are first needed.
import type { Pid } from '../core/algorithm.ts';
import type { Host } from './host.ts';
import type { AlgorithmMessage, InheritedLock, ViewMessage } from './member-messages.ts';
import { type MemberId, positionIn, type View } from './view.ts';
import { ViewChange } from './view-change.ts';
import { ViewRuns, type ViewRunsContext } from './view-runs.ts';

/** The parts of a member that the protocol uses. */
export interface FlushProtocolContext<R> extends ViewRunsContext<R> {
  readonly host: Host<R>;
  stepCame(message: AlgorithmMessage, sender: Pid): void; // before it is handled
  haveFlushed(view: View, flushes: ReadonlyMap<MemberId, unknown>): boolean;
  installing(held: readonly InheritedLock[]): void; // before locks are granted
  installed(): void; // after locks were granted
}

const types = ['run', 'begin', 'agree', 'open', 'flush', 'flush-piece', 'install', 'install-piece'] as const;

type FlushMessage = ViewMessage & { type: (typeof types)[number] };

export const isFlushMessage = (message: ViewMessage): message is FlushMessage =>
  (types as readonly string[]).includes(message.type);

/** One view of this protocol. */
export class FlushProtocol<R> {
  readonly runs: ViewRuns<R>;
  readonly #context: FlushProtocolContext<R>;
  #change: ViewChange | null; // until the view is installed

  constructor(context: FlushProtocolContext<R>, view: View) {
    const { locks, host, sendTo, broadcast } = context;
    this.#context = context;
    this.runs = new ViewRuns(context, view);
    locks.useSource(this.runs);
    this.#change = new ViewChange(view, positionIn(view, context.id) === 0, {
      held: () => locks.held(),
      haveFlushed: (...args) => context.haveFlushed(...args),
      sendTo: (to, message) => sendTo(view.members[to]!.id, message),
      broadcast,
      install: (held) => this.#install(held),
      claimedTwice: () => host.messageDropped('malformed'),
    });
  }

  get isInstalled(): boolean {
    return this.#change === null;
  }

  /** The number of retained items. */
  get size(): number {
    return this.#change?.size ?? 0;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return { change: this.#change?.inspectState() ?? null, runs: this.runs.inspectState() };
  }

  begin(): void {
    this.#change!.begin();
  }

  firstIsReady(): void {
    this.#change?.firstIsReady();
  }

  /** Returns false if no working member can have sent the message. */
  received(message: FlushMessage, from: MemberId, sender: Pid): boolean {
    switch (message.type) {
      case 'run':
        return this.#step(message, sender);
      case 'begin':
        this.runs.onBegin(message, sender);
        return true;
      case 'agree':
        this.runs.onAgree(message.lock, sender);
        return true;
      case 'open':
        return this.runs.onOpen(message.lock, sender);
      case 'flush':
      case 'flush-piece':
        return this.#change?.flushArrived(from, message) ?? false;
      case 'install':
      case 'install-piece':
        return (sender === 0 && this.#change?.installArrived(from, message)) ?? false;
    }
  }

  #step(message: AlgorithmMessage, sender: Pid): boolean {
    if (!this.runs.isPossible(message, sender)) return false;
    this.#context.stepCame(message, sender);
    return this.runs.onAlgorithmMessage(message, sender);
  }

  #install(held: readonly InheritedLock[]): void {
    if (!this.runs.areAllNamed(held)) {
      this.#context.host.memberOut('forgotten');
      return;
    }
    this.#change = null;
    this.#context.installing(held);
    this.runs.install(held);
    this.#context.installed();
  }
}
