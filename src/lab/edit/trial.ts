import type { Intervention } from '../../stage/index.ts';
import type { Description } from '../run/description.ts';
import type { Thrown } from './places.ts';

/** What a text is tried for. */
export interface Task {
  readonly what: 'read' | 'run' | 'check'; // read: what it says of itself
  readonly code: string;
  readonly called: string | null; // of several algorithms, the one of this name
  readonly fields: Readonly<Record<string, string>> | null; // null: what one sees something with
  readonly interventions: readonly Intervention[];
}

export type Result =
  | {
      readonly kind: 'ran';
      readonly algorithm: Description;
      readonly verdict: string;
      readonly events: number;
      readonly thrown: Thrown | null;
    }
  | {
      readonly kind: 'checked';
      readonly algorithm: Description;
      readonly ok: boolean;
      readonly complete: boolean;
      readonly states: number;
      readonly leftOut: string | null;
      readonly violation: { readonly property: string; readonly why: string; readonly trace: string } | null;
      readonly thrown: Thrown | null;
    }
  | { readonly kind: 'failed'; readonly thrown: Thrown }
  | { readonly kind: 'late' };

export interface Progress {
  readonly states: number;
  readonly depth: number;
}

export type Answer =
  | Result
  | { readonly kind: 'ready' }
  | { readonly kind: 'begins' }
  | ({ readonly kind: 'progress' } & Progress);

const limits = { read: 4000, run: 4000, check: 60_000 }; // milliseconds

/** Tries a text where it can do no harm. `stop` ends it early; what was promised then never comes. */
export function attempt(
  task: Task,
  tell: (progress: Progress) => void,
): { readonly result: Promise<Result>; readonly stop: () => void } {
  const worker = new Worker(new URL('./trial.worker.ts', import.meta.url), { type: 'module' });
  let timer = 0;
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const result = new Promise<Result>((resolve) => {
    const end = (answer: Result) => {
      stop();
      resolve(answer);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end({
        kind: 'failed',
        thrown: { message: event.message || 'the trial could not be loaded', at: null },
      });
    };
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      switch (data.kind) {
        case 'ready':
          worker.postMessage(task);
          break;
        case 'begins':
          timer = window.setTimeout(() => end({ kind: 'late' }), limits[task.what]);
          break;
        case 'progress':
          tell(data);
          break;
        default:
          end(data);
      }
    };
  });
  return { result, stop };
}
