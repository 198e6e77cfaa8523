import { resolve } from '../../src/catalogue/index.ts';
import type { RunWorker } from '../../src/lab/run-worker/run-client.ts';
import type { RunWorkerReply, RunWorkerRequest } from '../../src/lab/run-worker/run-protocol.ts';
import { RunServer } from '../../src/lab/run-worker/run-server.ts';

/** A run worker in the same thread. Copies its messages, as between threads. */
export class InProcessWorker implements RunWorker {
  hasEnded = false;
  readonly asked: RunWorkerRequest[] = [];
  readonly #server = new RunServer(async ({ name }) => resolve(name));

  async request(request: RunWorkerRequest): Promise<RunWorkerReply> {
    this.asked.push(request);
    try {
      return structuredClone(await this.#server.answer(structuredClone(request)));
    } catch (error) {
      return { kind: 'refused', why: (error as Error).message };
    }
  }

  terminate(): void {
    this.hasEnded = true;
  }
}

/** Leaves the version of an algorithm's text unknown. */
export const noVersion = async (): Promise<null> => null;
