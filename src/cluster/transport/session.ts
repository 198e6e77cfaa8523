import type { Answer } from './frames.ts';
import { type Failure, Line } from './line.ts';
import { type Destination, Outgoing } from './outgoing.ts';
import type { Closing, Frame } from './transport.ts';
import { Spool } from './wire.ts';

const firstDelayMs = 10; // until we dial again; twice as long each time that a connection did not serve, up to a part of our patience
const settledMs = 1000; // a connection that lasted so long did serve
const partsOfPatience = 8; // we look so often whether it is over

export interface SessionEvents {
  /** Whether the other one is dead for certain. */
  isDead(failure: Failure): boolean;
  connected(): void;
  disconnected(isByPeer: boolean): void;
  /** Not told after `quit` and `destroy`. */
  over(why: Closing): void;
}

/**
 * Frames to one peer over one connection after the other. What the other side has not acknowledged is kept; a new connection goes on where
 * the other side is, so that nothing is lost or repeated as long as this is not over.
 */
export class Session extends Outgoing {
  readonly #spool: Spool;
  readonly #patienceMs: number;
  readonly #events: SessionEvents;
  #isOpen = false; // the line is, and has been answered
  #wasAnswered = false;
  #attempts = 0; // since a connection served
  #again: NodeJS.Timeout | null = null;
  #checks: NodeJS.Timeout | null = null;
  #dialledAt = 0;
  #openedAt = 0;
  #lostAt = 0; // since then nothing has got through
  #heardAt = 0; // the last sign that something did, or the first word that waits for one
  #isOwed = false; // something that is kept would be missed; nobody misses a ping

  constructor(to: Destination, patienceMs: number, events: SessionEvents) {
    const spool = new Spool();
    super(to, () => events.over('broken'), spool);
    this.#spool = spool;
    this.#patienceMs = patienceMs;
    this.#events = events;
  }

  /** Finds a way, if there is none and none is being tried. */
  override start(): void {
    if (this.isOver || this.line !== null) return;
    if (this.#again === null) this.#lostAt = performance.now();
    this.#check();
    this.#connect();
  }

  override add(frame: Frame): void {
    if (this.#spool.kept === 0) {
      this.#heardAt = performance.now();
      this.#isOwed = false;
    }
    this.#isOwed ||= frame.type !== 'ping' && frame.type !== 'pong';
    super.add(frame);
    if (this.#again === null) this.start();
  }

  override flush(): void {
    super.flush();
    if (!this.isOver) this.#check();
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
    return this.#spool.kept;
  }

  // What the line tells.

  override answered(answer: Answer, version: number): boolean {
    if (answer.place !== null && !this.#wasAnswered) super.answered(answer, version);
    const { kept } = this.#spool;
    if (answer.place === null || !this.#spool.rewind(answer.place)) {
      this.#over('broken');
      return false;
    }
    this.#wasAnswered = true;
    this.#isOpen = true;
    this.#openedAt = performance.now();
    if (this.#spool.kept < kept) this.#heardAt = this.#openedAt;
    this.#events.connected();
    return true;
  }

  override acknowledged(place: number | null): void {
    if (place === null || !this.#spool.drop(place)) this.#over('broken');
    this.#heardAt = performance.now();
    this.#attempts = 0;
  }

  override ended(failure: Failure | null, isByPeer: boolean): void {
    const now = performance.now();
    this.line = null;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#lostAt = this.#spool.kept > 0 ? this.#heardAt : now;
      if (now > this.#openedAt + settledMs) this.#attempts = 0;
      this.#events.disconnected(isByPeer);
    }
    if (failure !== null && this.#events.isDead(failure)) this.#over('dead');
    else if (!this.isOver) this.#retry();
  }

  #connect(): void {
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = null;
    this.#dialledAt = performance.now();
    const hello = { ...this.to.hello, isResumed: this.#wasAnswered };
    this.line = new Line(() => this.to.dial(), hello, this.box, this);
  }

  #retry(): void {
    const delay = firstDelayMs * 2 ** (this.#attempts - 1);
    this.#check();
    this.#attempts += 1;
    if (this.#attempts === 1) this.#connect();
    else this.#again = setTimeout(() => this.#connect(), Math.min(delay, this.#patienceMs / partsOfPatience));
  }

  // Patience.

  #check(): void {
    this.#checks ??= setInterval(() => this.#look(), this.#patienceMs / partsOfPatience);
  }

  #look(): void {
    const now = performance.now();
    const isKept = this.#spool.kept > 0;
    if (this.#isOpen) {
      if (!isKept) this.#rest();
      else if (now > Math.max(this.#openedAt, this.#heardAt) + this.#patienceMs / 2) this.#abandon();
    } else if (now > this.#lostAt + this.#patienceMs) {
      if (isKept && this.#isOwed) this.#over('unreachable');
      else this.#sleep();
    } else if (this.line !== null && now > this.#dialledAt + this.#patienceMs / 2) this.#abandon();
  }

  /** The connection is of no use: the other end is not there, or does not answer. */
  #abandon(): void {
    this.line?.destroy();
    this.ended(null, false);
  }

  /** Until there is something to say. */
  #sleep(): void {
    this.#stop();
    this.line?.destroy();
    this.line = null;
    this.#again = null;
  }

  #over(why: Closing): void {
    const isNews = !this.isOver;
    this.destroy();
    if (isNews) this.#events.over(why);
  }

  #stop(): void {
    this.#rest();
    if (this.#again !== null) clearTimeout(this.#again);
  }

  #rest(): void {
    if (this.#checks !== null) clearInterval(this.#checks);
    this.#checks = null;
  }
}
