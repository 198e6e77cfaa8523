import type { RunWorker } from './run-client.ts';
import type { FromRunWorker, RunWorkerReply, RunWorkerRequest, ToRunWorker } from './run-protocol.ts';
import { Watchdog } from './watchdog.ts';

const timeoutReason = 'it had not answered for four seconds, and was ended';
const loadFailureReason = 'what runs algorithms could not be loaded; is the lab still being served?';

/** Connects to a worker. With a watchdog, terminates it after four seconds without a reply. */
export class WorkerConnection implements RunWorker {
  readonly #worker: Worker;
  readonly #watchdog: Watchdog | null;
  readonly #pending = new Map<number, (reply: RunWorkerReply) => void>();
  #lastRequest = 0; // its id
  #isReady = false;
  #endReason: string | null = null; // null while it runs

  constructor(worker: Worker, hasWatchdog: boolean) {
    this.#worker = worker;
    this.#watchdog = hasWatchdog ? new Watchdog(() => this.#end(timeoutReason)) : null;
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
      if (this.#pending.size === 0 && this.#isReady) this.#watchdog?.start();
      this.#pending.set(this.#lastRequest, resolve);
      this.#worker.postMessage({ id: this.#lastRequest, request } satisfies ToRunWorker);
    });
  }

  terminate(): void {
    this.#end('it was ended');
  }

  #onMessage(message: FromRunWorker): void {
    if (message === 'ready') {
      this.#isReady = true;
      if (this.#pending.size > 0) this.#watchdog?.start();
      return;
    }
    const resolve = this.#pending.get(message?.id);
    if (!resolve) return; // a custom algorithm may post anything
    this.#watchdog?.hear();
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#watchdog?.stop();
    resolve(message.reply);
  }

  #end(why: string): void {
    this.#endReason = why;
    this.#watchdog?.stop();
    this.#worker.terminate();
    for (const resolve of this.#pending.values()) resolve({ kind: 'refused', why });
    this.#pending.clear();
  }
}
