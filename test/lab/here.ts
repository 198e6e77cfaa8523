import { resolve } from '../../src/catalogue/index.ts';
import { Backstage } from '../../src/lab/run/backstage.ts';
import type { Answer, Request } from '../../src/lab/run/protocol.ts';
import type { Thread } from '../../src/lab/run/thread.ts';

/** A thread as the page has it, in this one: what is said to it is copied, as between threads. */
export class Here implements Thread {
  isOver = false;
  readonly asked: Request[] = [];
  readonly #backstage = new Backstage(async ({ name }) => resolve(name));

  async ask(request: Request): Promise<Answer> {
    this.asked.push(request);
    try {
      return structuredClone(await this.#backstage.answer(structuredClone(request)));
    } catch (error) {
      return { kind: 'refused', why: (error as Error).message };
    }
  }

  end(): void {
    this.isOver = true;
  }
}
