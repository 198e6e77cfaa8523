import type { CompiledText } from './typescript-compiler.ts';

let worker: Worker | null = null;
let lastId = 0;
const pending = new Map<
  number,
  { resolve: (compiled: CompiledText) => void; reject: (error: Error) => void }
>();

/** Starts loading the compiler, unless it is loaded. */
export function startCompiler(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL('./compiler.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly compiled: CompiledText }>) => {
    pending.get(data.id)?.resolve(data.compiled);
    pending.delete(data.id);
  };
  worker.onerror = (event) => {
    for (const { reject } of pending.values())
      reject(
        new Error(`the compiler could not be loaded: ${event.message ?? 'is the lab still being served?'}`),
      );
    pending.clear();
    worker = null;
  };
  return worker;
}

export function compileInWorker(text: string): Promise<CompiledText> {
  const id = ++lastId;
  const answer = new Promise<CompiledText>((resolve, reject) => pending.set(id, { resolve, reject }));
  startCompiler().postMessage({ id, text });
  return answer;
}
