import { ReplayBuffer } from './encoding/framing.ts';
import type { HelloAnswer } from './encoding/handshake.ts';
import { type Destination, FrameSender } from './frame-sender.ts';
import { type ConnectionFailure, OutgoingConnection } from './outgoing-connection.ts';
import type { CloseReason, Frame } from './transport.ts';

const firstDelayMs = 10; // until we dial again; twice as long each time that a connection did not serve, up to a part of our patience
const settledMs = 1000; // a connection that lasted so long did serve
const checksPerTimeout = 8; // we look so often whether it is over

export interface ResumableSessionEvents {
  /** Whether the other one is dead for certain. */
  isDead(failure: ConnectionFailure): boolean;
  connected(): void;
  disconnected(isByPeer: boolean): void;
  /** Not told after `quit` and `destroy`. */
  over(why: CloseReason): void;
}

/**
 * Frames to one peer over one connection after the other. What the other side has not acknowledged is kept; a new connection goes on where
 * the other side is, so that nothing is lost or repeated as long as this is not over.
 */
export class ResumableSession extends FrameSender {
  readonly #replayBuffer: ReplayBuffer;
  readonly #unreachableAfterMs: number;
  readonly #events: ResumableSessionEvents;
  #isOpen = false; // the line is, and has been answered
  #wasAnswered = false;
  #attempts = 0; // since a connection served
  #retryTimer: NodeJS.Timeout | null = null;
  #checks: NodeJS.Timeout | null = null;
  #dialledAt = 0;
  #openedAt = 0;
  #lostAt = 0; // since then nothing has got through
  #heardAt = 0; // the last sign that something did, or the first word that waits for one
  #hasUnacknowledgedPayload = false; // something that is kept would be missed; nobody misses a ping

  constructor(to: Destination, patienceMs: number, events: ResumableSessionEvents) {
    const spool = new ReplayBuffer();
    super(to, () => events.over('broken'), spool);
    this.#replayBuffer = spool;
    this.#unreachableAfterMs = patienceMs;
    this.#events = events;
  }

  /** Finds a way, if there is none and none is being tried. */
  override start(): void {
    if (this.isOver || this.connection !== null) return;
    if (this.#retryTimer === null) this.#lostAt = performance.now();
    this.#startChecks();
    this.#connect();
  }

  override add(frame: Frame): void {
    if (this.#replayBuffer.unacknowledgedBytes === 0) {
      this.#heardAt = performance.now();
      this.#hasUnacknowledgedPayload = false;
    }
    this.#hasUnacknowledgedPayload ||= frame.type !== 'ping' && frame.type !== 'pong';
    super.add(frame);
    if (this.#retryTimer === null) this.start();
  }

  override flush(): void {
    super.flush();
    if (!this.isOver) this.#startChecks();
  }

  override quit(): Promise<void> {
    this.#stop();
    return super.quit();
  }

  override destroy(): void {
    this.#stop();
    super.destroy();
  }

  protected override get waiting(): number {
    return this.#replayBuffer.unacknowledgedBytes;
  }

  // What the line tells.

  override answered(answer: HelloAnswer, version: number): boolean {
    if (answer.offset !== null && !this.#wasAnswered) super.answered(answer, version);
    const { unacknowledgedBytes } = this.#replayBuffer;
    if (answer.offset === null || !this.#replayBuffer.rewind(answer.offset)) {
      this.#over('broken');
      return false;
    }
    this.#wasAnswered = true;
    this.#isOpen = true;
    this.#openedAt = performance.now();
    if (this.#replayBuffer.unacknowledgedBytes < unacknowledgedBytes) this.#heardAt = this.#openedAt;
    this.#events.connected();
    return true;
  }

  override acknowledged(place: number | null): void {
    if (place === null || !this.#replayBuffer.drop(place)) this.#over('broken');
    this.#heardAt = performance.now();
    this.#attempts = 0;
  }

  override ended(failure: ConnectionFailure | null, isByPeer: boolean): void {
    const now = performance.now();
    this.connection = null;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#lostAt = this.#replayBuffer.unacknowledgedBytes > 0 ? this.#heardAt : now;
      if (now > this.#openedAt + settledMs) this.#attempts = 0;
      this.#events.disconnected(isByPeer);
    }
    if (failure !== null && this.#events.isDead(failure)) this.#over('dead');
    else if (!this.isOver) this.#retry();
  }

  #connect(): void {
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
    this.#dialledAt = performance.now();
    const hello = { ...this.to.hello, isResumed: this.#wasAnswered };
    this.connection = new OutgoingConnection(() => this.to.dial(), hello, this.frames, this);
  }

  #retry(): void {
    const delay = firstDelayMs * 2 ** (this.#attempts - 1);
    this.#startChecks();
    this.#attempts += 1;
    if (this.#attempts === 1) this.#connect();
    else
      this.#retryTimer = setTimeout(
        () => this.#connect(),
        Math.min(delay, this.#unreachableAfterMs / checksPerTimeout),
      );
  }

  // Patience.

  #startChecks(): void {
    this.#checks ??= setInterval(() => this.#checkTimeouts(), this.#unreachableAfterMs / checksPerTimeout);
  }

  #checkTimeouts(): void {
    const now = performance.now();
    const isKept = this.#replayBuffer.unacknowledgedBytes > 0;
    if (this.#isOpen) {
      if (!isKept) this.#stopChecks();
      else if (now > Math.max(this.#openedAt, this.#heardAt) + this.#unreachableAfterMs / 2)
        this.#abandonConnection();
    } else if (now > this.#lostAt + this.#unreachableAfterMs) {
      if (isKept && this.#hasUnacknowledgedPayload) this.#over('unreachable');
      else this.#idle();
    } else if (this.connection !== null && now > this.#dialledAt + this.#unreachableAfterMs / 2)
      this.#abandonConnection();
  }

  /** The connection is of no use: the other end is not there, or does not answer. */
  #abandonConnection(): void {
    this.connection?.destroy();
    this.ended(null, false);
  }

  /** Until there is something to say. */
  #idle(): void {
    this.#stop();
    this.connection?.destroy();
    this.connection = null;
    this.#retryTimer = null;
  }

  #over(why: CloseReason): void {
    const isNews = !this.isOver;
    this.destroy();
    if (isNews) this.#events.over(why);
  }

  #stop(): void {
    this.#stopChecks();
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
  }

  #stopChecks(): void {
    if (this.#checks !== null) clearInterval(this.#checks);
    this.#checks = null;
  }
}
