import type { Setting } from '../../cluster/runtime.ts';
import type { Frame } from '../../cluster/transport/transport.ts';
import type { Handled, Report } from '../../live/index.ts';

/** Milliseconds by the clock that all processes of this machine share. */
export const clock = (): number => Number(process.hrtime.bigint()) / 1e6;

type Told = Report extends infer R ? (R extends Report ? Omit<R, 'at'> : never) : never;

/** What happens to this process and what it does then, told as one. */
export class Recorder {
  readonly #tell: (report: Report) => void;
  #now: { at: number; input: Handled['input']; sends: Handled['sends'][number][]; entered: boolean } | null =
    null;

  constructor(tell: (report: Report) => void) {
    this.#tell = tell;
  }

  tell(report: Told): void {
    this.#finish();
    this.#tell({ ...report, at: clock() });
  }

  /** What is sent and entered until this turn of the event loop is over belongs to it. */
  happens(input: Handled['input']): void {
    this.#finish();
    const happening = { at: clock(), input, sends: [], entered: false };
    this.#now = happening;
    setImmediate(() => {
      if (this.#now === happening) this.#finish();
    });
  }

  entered(): void {
    if (this.#now === null) this.happens({ kind: 'timer', message: { type: 'granted' } });
    this.#now!.entered = true;
  }

  #sent(to: string, type: string): void {
    if (this.#now === null) this.happens({ kind: 'timer', message: { type: 'view' } }); // another one is known
    this.#now!.sends.push({ to, message: { type } });
  }

  #finish(): void {
    const happening = this.#now;
    this.#now = null;
    if (happening !== null) this.#tell({ kind: 'handled', ...happening });
  }

  /** The same transport, with everything that members say to each other told; questions from outside are not. */
  observed(listen: Setting['listen']): Setting['listen'] {
    return async (id, listener) => {
      this.tell({ kind: 'named', id });
      const transport = await listen(id, {
        ...listener,
        received: (from, frame) => {
          if (!('question' in frame)) this.happens({ kind: 'recv', from, message: { type: kindOf(frame) } });
          listener.received(from, frame);
        },
      });
      return {
        address: transport.address,
        send: (to, frame) => {
          if (!('question' in frame)) this.#sent(to.id, kindOf(frame));
          transport.send(to, frame);
        },
        keep: (peers) => transport.keep(peers),
        close: () => transport.close(),
      };
    };
  }
}

const kindOf = (frame: Frame): string => (frame.type === 'run' ? frame.message.type : frame.type);
