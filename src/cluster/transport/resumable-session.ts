import { ReplayBuffer } from './encoding/framing.ts';
import type { HelloAnswer } from './encoding/handshake.ts';
import { type Destination, FrameSender } from './frame-sender.ts';
import { type ConnectionFailure, OutgoingConnection } from './outgoing-connection.ts';
import type { CloseReason, Frame } from './transport.ts';

// Until the next attempt; doubles while attempts fail, up to a fraction of the timeout. A process that is being killed accepts connections for
// another moment, and so does a proxy before it.
const firstDelayMs = 2;
const settledMs = 1000; // a connection that lasts this long resets the delay
const checksPerTimeout = 8;

export interface ResumableSessionEvents {
  /** Whether the peer is certainly dead. */
  isDead(failure: ConnectionFailure): boolean;
  connected(): void;
  disconnected(isByPeer: boolean): void;
  /** Not called after `quit` and `destroy`. */
  over(why: CloseReason): void;
}

/**
 * Sends frames to one peer over successive connections. It keeps unacknowledged frames. A new connection resumes at the offset that the peer
 * has received, so that no frame is lost or repeated until the session is over.
 */
export class ResumableSession extends FrameSender {
  readonly #replayBuffer: ReplayBuffer;
  readonly #unreachableAfterMs: number;
  readonly #events: ResumableSessionEvents;
  #isOpen = false; // the connection is open, and its hello was answered
  #wasAnswered = false;
  #attempts = 0; // since the last working connection
  #retryTimer: NodeJS.Timeout | null = null;
  #checks: NodeJS.Timeout | null = null;
  #dialledAt = 0;
  #openedAt = 0;
  #lostAt = 0; // no data has got through since then
  #progressAt = 0; // of the last acknowledgement, or of the first frame that waits for one
  #hasUnacknowledgedPayload = false; // a kept frame is not just a ping or a pong

  constructor(to: Destination, unreachableAfterMs: number, events: ResumableSessionEvents) {
    const replayBuffer = new ReplayBuffer();
    super(to, () => events.over('broken'), replayBuffer);
    this.#replayBuffer = replayBuffer;
    this.#unreachableAfterMs = unreachableAfterMs;
    this.#events = events;
  }

  /** Connects, unless a connection is open or being tried. */
  override start(): void {
    if (this.isOver || this.connection !== null) return;
    if (this.#retryTimer === null) this.#lostAt = performance.now();
    this.#startChecks();
    this.#connect();
  }

  override add(frame: Frame): void {
    if (this.#replayBuffer.unacknowledgedBytes === 0) {
      this.#progressAt = performance.now();
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

  // OutgoingConnectionEvents.

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
    if (this.#replayBuffer.unacknowledgedBytes < unacknowledgedBytes) this.#progressAt = this.#openedAt;
    this.#events.connected();
    return true;
  }

  protected override acknowledged(offset: number): void {
    if (!this.#replayBuffer.drop(offset)) this.#over('broken');
    this.#progressAt = performance.now();
    this.#attempts = 0;
  }

  protected override malformed(): void {
    super.malformed();
    this.#over('broken');
  }

  override ended(failure: ConnectionFailure | null, isByPeer: boolean): void {
    const now = performance.now();
    this.connection = null;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#lostAt = this.#replayBuffer.unacknowledgedBytes > 0 ? this.#progressAt : now;
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

  // Timeouts.

  #startChecks(): void {
    this.#checks ??= setInterval(() => this.#checkTimeouts(), this.#unreachableAfterMs / checksPerTimeout);
  }

  #checkTimeouts(): void {
    const now = performance.now();
    const isKept = this.#replayBuffer.unacknowledgedBytes > 0;
    if (this.#isOpen) {
      if (!isKept) this.#stopChecks();
      else if (now > Math.max(this.#openedAt, this.#progressAt) + this.#unreachableAfterMs / 2)
        this.#abandonConnection();
    } else if (now > this.#lostAt + this.#unreachableAfterMs) {
      if (isKept && this.#hasUnacknowledgedPayload) this.#over('unreachable');
      else this.#idle();
    } else if (this.connection !== null && now > this.#dialledAt + this.#unreachableAfterMs / 2)
      this.#abandonConnection();
  }

  /** Gives up a connection whose peer does not answer. */
  #abandonConnection(): void {
    this.connection?.destroy();
    this.ended(null, false);
  }

  /** Stops connecting until there is a frame to send. */
  #idle(): void {
    this.#stop();
    this.connection?.destroy();
    this.connection = null;
    this.#retryTimer = null;
  }

  #over(why: CloseReason): void {
    const wasOpen = !this.isOver;
    this.destroy();
    if (wasOpen) this.#events.over(why);
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
