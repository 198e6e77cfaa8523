import type { Socket } from 'node:net';
import { type Answer, type Format, type Formats, type Hello, versionsOf } from './frames.ts';
import { type Failure, Line, type LineEvents } from './line.ts';
import type { Frame, Refusal } from './transport.ts';
import { Outbox } from './wire.ts';

const queueLimit = 64 * 2 ** 20; // bytes for a peer that does not read

/** Whom frames go to. */
export interface Destination {
  readonly hello: Hello;
  readonly formats: Formats;
  dial(): Socket;
  refused(why: Refusal): void;
}

/** Frames to one peer over one connection: when that is over, so is this. Nothing is written before `flush`. */
export class Outgoing implements LineEvents {
  isDirty = false;
  protected readonly to: Destination;
  protected readonly box: Outbox;
  protected line: Line | null = null;
  protected isOver = false;
  readonly #over: (failure: Failure | null) => void;
  #format: Format;

  /** `over` is not told after `quit` and `destroy`. */
  constructor(to: Destination, over: (failure: Failure | null) => void, box = new Outbox()) {
    this.to = to;
    this.box = box;
    this.#over = over;
    this.#format = to.formats.get(versionsOf(to.formats).highest)!;
  }

  start(): void {
    this.line = new Line(() => this.to.dial(), this.to.hello, this.box, this);
  }

  add(frame: Frame): void {
    if (this.isOver) return;
    const body = this.#format.pack(frame);
    if (body === null) return; // the other one would not know what it is
    this.box.add(body);
  }

  flush(): void {
    this.line?.flush();
    if (!this.isOver && this.waiting > queueLimit) this.#overflow();
  }

  /** Says what is still to be said, and ends. */
  async quit(): Promise<void> {
    this.isOver = true;
    await this.line?.quit();
  }

  destroy(): void {
    this.isOver = true;
    this.line?.destroy();
  }

  protected get waiting(): number {
    return this.box.length + this.line!.waiting;
  }

  // What the line tells.

  answered(_: Answer, version: number): boolean {
    const before = this.#format;
    const now = this.to.formats.get(version)!;
    if (now === before) return true;
    this.#format = now;
    this.box.recode((body) => now.pack(before.unpack(body)!));
    return true;
  }

  acknowledged(_: number | null): void {}

  refused(why: Refusal): void {
    this.to.refused(why);
  }

  ended(failure: Failure | null, _: boolean): void {
    this.isOver = true;
    this.#over(failure);
  }

  #overflow(): void {
    this.destroy();
    setImmediate(() => this.#over(null));
  }
}
