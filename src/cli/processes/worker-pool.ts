import { Worker } from 'node:worker_threads';
import { InputError } from '../../core/assert.ts';

/** Runs tasks in threads. Free threads take the next task; answers are in the order of the tasks. */
export function runInThreads<Task, Answer>(
  script: string,
  threads: number,
  tasks: readonly Task[],
  answered: (task: Task) => void,
): { readonly answers: Promise<Answer[]>; readonly stop: () => void } {
  const answers: Answer[] = new Array(tasks.length);
  const workers: Worker[] = [];
  const stop = () => {
    for (const worker of workers) void worker.terminate();
  };
  let next = 0;
  let open = tasks.length;
  const work = new Promise<Answer[]>((resolve, reject) => {
    if (open === 0) resolve(answers);
    for (let k = 0; k < Math.min(threads, tasks.length); k += 1) {
      const worker = new Worker(script);
      workers.push(worker);
      let current = -1;
      const assignNext = () => {
        current = next;
        next += 1;
        if (current < tasks.length) worker.postMessage(tasks[current]);
      };
      worker.on('message', (answer: Answer) => {
        answers[current] = answer;
        open -= 1;
        answered(tasks[current]!);
        if (open === 0) resolve(answers);
        assignNext();
      });
      worker.on('error', (error) => reject(explain(error)));
      assignNext();
    }
  });
  return { answers: work.finally(stop), stop };
}

/** Converts errors that the user can fix to InputError. Errors lose their class between threads, but not their name. */
function explain(error: Error): Error {
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new InputError('a run needs more memory than a thread may have: use smaller sizes');
  return error.name === 'InputError' ? new InputError(error.message) : error;
}
