import type { Verdict } from '../../check/index.ts';
import type { ScheduledIntervention } from '../../timeline/index.ts';
import type { AlgorithmDescription } from '../run-worker/algorithm-stub.ts';
import { Watchdog } from '../run-worker/watchdog.ts';
import type { ThrownError } from './source-positions.ts';

/** A task for the sandbox worker. */
export interface SandboxTask {
  readonly what: 'read' | 'run' | 'check'; // read: only describe the algorithm
  readonly code: string;
  readonly algorithmName: string | null; // chooses among several algorithms
  readonly fields: Readonly<Record<string, string>> | null; // null: the first scenario of the algorithm
  readonly interventions: readonly ScheduledIntervention[];
}

export type SandboxResult =
  | {
      readonly kind: 'ran';
      readonly algorithm: AlgorithmDescription;
      readonly verdict: string;
      readonly events: number;
      readonly thrown: ThrownError | null;
    }
  | {
      readonly kind: 'checked';
      readonly algorithm: AlgorithmDescription;
      readonly verdict: Verdict;
      readonly states: number;
      readonly leftOut: string | null;
      readonly never: readonly string[]; // what no state showed
      readonly violation: { readonly property: string; readonly why: string; readonly trace: string } | null;
      readonly thrown: ThrownError | null;
    }
  | { readonly kind: 'failed'; readonly thrown: ThrownError }
  | { readonly kind: 'stuck' } // no sign of life for four seconds
  | { readonly kind: 'late' };

export interface SandboxProgress {
  readonly states: number;
  readonly depth: number;
}

export type SandboxMessage =
  | SandboxResult
  | { readonly kind: 'ready' }
  | { readonly kind: 'begins' }
  | ({ readonly kind: 'progress' } & SandboxProgress);

const timeout = 60_000; // milliseconds, for a check

/** Runs code in a worker without access to the page. After `stop`, the result never resolves. */
export function runInSandbox(
  task: SandboxTask,
  onProgress: (progress: SandboxProgress) => void,
): { readonly result: Promise<SandboxResult>; readonly stop: () => void } {
  const worker = new Worker(new URL('./sandbox.worker.ts', import.meta.url), { type: 'module' });
  let timer = 0;
  let end: (outcome: SandboxResult) => void;
  const watchdog = new Watchdog(() => end({ kind: 'stuck' }));
  const stop = () => {
    clearTimeout(timer);
    watchdog.stop();
    worker.terminate();
  };
  const result = new Promise<SandboxResult>((resolve) => {
    end = (outcome) => {
      stop();
      resolve(outcome);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end({
        kind: 'failed',
        thrown: { message: event.message || 'the trial could not be loaded', at: null },
      });
    };
    worker.onmessage = ({ data }: MessageEvent<SandboxMessage>) => {
      switch (data.kind) {
        case 'ready':
          worker.postMessage(task);
          break;
        case 'begins':
          watchdog.start();
          timer = window.setTimeout(() => end({ kind: 'late' }), timeout);
          break;
        case 'progress':
          watchdog.hear();
          onProgress(data);
          break;
        default:
          end(data);
      }
    };
  });
  return { result, stop };
}
