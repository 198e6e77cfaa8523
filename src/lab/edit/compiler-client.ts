import type { CompiledText } from './typescript-compiler.ts';

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<
  number,
  { resolve: (compiled: CompiledText) => void; reject: (error: Error) => void }
>();

/** Has the compiler loaded, if it is not. */
export function startCompiler(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL('./compiler.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly compiled: CompiledText }>) => {
    waiting.get(data.id)?.resolve(data.compiled);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values())
      reject(
        new Error(`the compiler could not be loaded: ${event.message ?? 'is the lab still being served?'}`),
      );
    waiting.clear();
    worker = null;
  };
  return worker;
}

export function compileInWorker(text: string): Promise<CompiledText> {
  const id = ++last;
  const answer = new Promise<CompiledText>((resolve, reject) => waiting.set(id, { resolve, reject }));
  startCompiler().postMessage({ id, text });
  return answer;
}
