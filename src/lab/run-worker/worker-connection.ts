import type { RunWorker } from './run-client.ts';
import type { FromRunWorker, RunWorkerReply, RunWorkerRequest, ToRunWorker } from './run-protocol.ts';

const watchdogInterval = 500; // milliseconds
const watchdogTicks = 8; // counted, because a machine that slept has missed only one

const timeoutReason = 'it had not answered for four seconds, and was ended';
const loadFailureReason = 'what runs algorithms could not be loaded; is the lab still being served?';

/**
 * Connects to a worker. With a watchdog, terminates it after four seconds without a reply:
 * a looping handler cannot be stopped otherwise.
 */
export class WorkerConnection implements RunWorker {
  readonly #worker: Worker;
  readonly #hasWatchdog: boolean;
  readonly #pending = new Map<number, (reply: RunWorkerReply) => void>();
  #lastRequest = 0; // its id
  #isReady = false;
  #ticks = 0; // since the last reply
  #timer: ReturnType<typeof setInterval> | undefined;
  #endReason: string | null = null; // null while it runs

  constructor(worker: Worker, hasWatchdog: boolean) {
    this.#worker = worker;
    this.#hasWatchdog = hasWatchdog;
    worker.onmessage = ({ data }: MessageEvent<FromRunWorker>) => this.#onMessage(data);
    worker.onerror = (event) => {
      if (this.#isReady) return;
      event.preventDefault();
      this.#end(loadFailureReason);
    };
  }

  get hasEnded(): boolean {
    return this.#endReason !== null;
  }

  request(request: RunWorkerRequest): Promise<RunWorkerReply> {
    return new Promise((resolve) => {
      if (this.#endReason !== null) return resolve({ kind: 'refused', why: this.#endReason });
      this.#lastRequest += 1;
      if (this.#pending.size === 0) this.#ticks = 0;
      this.#pending.set(this.#lastRequest, resolve);
      this.#worker.postMessage({ id: this.#lastRequest, request } satisfies ToRunWorker);
      if (this.#hasWatchdog) this.#timer ??= setInterval(() => this.#checkWatchdog(), watchdogInterval);
    });
  }

  terminate(): void {
    this.#end('it was ended');
  }

  #onMessage(message: FromRunWorker): void {
    if (message === 'ready') {
      this.#isReady = true;
      return;
    }
    const resolve = this.#pending.get(message?.id);
    if (!resolve) return; // a custom algorithm may post anything
    this.#ticks = 0;
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#stopWatchdog();
    resolve(message.reply);
  }

  #checkWatchdog(): void {
    if (!this.#isReady) return;
    this.#ticks += 1;
    if (this.#ticks >= watchdogTicks) this.#end(timeoutReason);
  }

  #stopWatchdog(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #end(why: string): void {
    this.#endReason = why;
    this.#stopWatchdog();
    this.#worker.terminate();
    for (const resolve of this.#pending.values()) resolve({ kind: 'refused', why });
    this.#pending.clear();
  }
}
