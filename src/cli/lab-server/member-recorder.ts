import type { GroupConfig } from '../../cluster/membership/group-config.ts';
import type { Frame } from '../../cluster/transport/transport.ts';
import type { HandledReport, ProcessReport } from '../../live/index.ts';

/** Milliseconds by the monotonic clock that all processes of this machine share. */
export const machineClock = (): number => Number(process.hrtime.bigint()) / 1e6;

type UntimedReport = ProcessReport extends infer R
  ? R extends ProcessReport
    ? Omit<R, 'at'>
    : never
  : never;

/** Records one event of this process together with its effects, and reports them as one step. */
export class MemberRecorder {
  readonly #send: (report: ProcessReport) => void;
  #step: {
    at: number;
    input: HandledReport['input'];
    sends: HandledReport['sends'][number][];
    entered: boolean;
  } | null = null;

  constructor(send: (report: ProcessReport) => void) {
    this.#send = send;
  }

  report(report: UntimedReport): void {
    this.#finish();
    this.#send({ ...report, at: machineClock() });
  }

  /** Starts a step. Messages and entries until the end of this turn of the event loop belong to it. */
  beginStep(input: HandledReport['input']): void {
    this.#finish();
    const step = { at: machineClock(), input, sends: [], entered: false };
    this.#step = step;
    setImmediate(() => {
      if (this.#step === step) this.#finish();
    });
  }

  entered(): void {
    if (this.#step === null) this.beginStep({ kind: 'timer', message: { type: 'granted' } });
    this.#step!.entered = true;
  }

  /** A message that nothing else caused is sent because of a new view, or by a timer of an election algorithm. */
  #recordSend(to: string, frame: Frame): void {
    const cause = frame.type === 'elect' ? 'timeout' : 'view';
    if (this.#step === null) this.beginStep({ kind: 'timer', message: { type: cause } });
    this.#step!.sends.push({ to, message: { type: kindOf(frame) } });
  }

  #finish(): void {
    const step = this.#step;
    this.#step = null;
    if (step !== null) this.#send({ kind: 'handled', ...step });
  }

  /** Wraps a transport so that messages between members are recorded. Queries are not. */
  observed(listen: GroupConfig['listen']): GroupConfig['listen'] {
    return async (id, listener) => {
      this.report({ kind: 'named', id });
      const transport = await listen(id, {
        ...listener,
        received: (from, frame, answer) => {
          if (!('question' in frame))
            this.beginStep({ kind: 'recv', from, message: { type: kindOf(frame) } });
          listener.received(from, frame, answer);
        },
      });
      return {
        address: transport.address,
        send: (to, frame) => {
          if (!('question' in frame)) this.#recordSend(to.id, frame);
          transport.send(to, frame);
        },
        keep: (peers) => transport.keep(peers),
        reachItself: (timeoutMs) => transport.reachItself(timeoutMs),
        close: () => transport.close(),
      };
    };
  }
}

/** Messages of algorithms, for locks and for elections, have their own types. */
const kindOf = (frame: Frame): string =>
  frame.type === 'step' || frame.type === 'run' || frame.type === 'elect' ? frame.message.type : frame.type;
