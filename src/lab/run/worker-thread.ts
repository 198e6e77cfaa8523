import type { Answer, FromThread, Request, ToThread } from './protocol.ts';
import type { Thread } from './thread.ts';

const tick = 500; // milliseconds
const patience = 8; // ticks; a machine that slept meanwhile has only missed one

const late = 'it had not answered for four seconds, and was ended';
const lost = 'what runs algorithms could not be loaded; is the lab still being served?';

/** A worker; if it is watched, it is ended when it does not answer: nothing else ends a handler that loops. */
export class WorkerThread implements Thread {
  readonly #worker: Worker;
  readonly #isWatched: boolean;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0; // request
  #isReady = false;
  #ticks = 0; // since it last answered
  #timer: ReturnType<typeof setInterval> | undefined;
  #why: string | null = null; // it has ended

  constructor(worker: Worker, isWatched: boolean) {
    this.#worker = worker;
    this.#isWatched = isWatched;
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => this.#hear(data);
    worker.onerror = (event) => {
      if (this.#isReady) return;
      event.preventDefault();
      this.#end(lost);
    };
  }

  get isOver(): boolean {
    return this.#why !== null;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve) => {
      if (this.#why !== null) return resolve({ kind: 'refused', why: this.#why });
      this.#last += 1;
      if (this.#waiting.size === 0) this.#ticks = 0;
      this.#waiting.set(this.#last, resolve);
      this.#worker.postMessage({ id: this.#last, request } satisfies ToThread);
      if (this.#isWatched) this.#timer ??= setInterval(() => this.#watch(), tick);
    });
  }

  end(): void {
    this.#end('it was ended');
  }

  #hear(message: FromThread): void {
    if (message === 'ready') {
      this.#isReady = true;
      return;
    }
    const resolve = this.#waiting.get(message?.id);
    if (!resolve) return; // a text may say anything
    this.#ticks = 0;
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#rest();
    resolve(message.answer);
  }

  #watch(): void {
    if (!this.#isReady) return;
    this.#ticks += 1;
    if (this.#ticks >= patience) this.#end(late);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #end(why: string): void {
    this.#why = why;
    this.#rest();
    this.#worker.terminate();
    for (const resolve of this.#waiting.values()) resolve({ kind: 'refused', why });
    this.#waiting.clear();
  }
}
