// Runs algorithms outside the page. The page terminates this worker if it stops replying.
import { resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import type {
  AlgorithmRef,
  FromRunWorker,
  RunWorkerReply,
  RunWorkerRequest,
  ToRunWorker,
} from './run-protocol.ts';
import { RunServer } from './run-server.ts';

const send = (message: FromRunWorker) => self.postMessage(message);

const customAlgorithms = new Map<string, ReturnType<typeof evaluateCode>>(); // by compiled code

async function evaluateCode(code: string, name: string) {
  const { evaluate } = await import('../edit/evaluate.ts');
  return evaluate(code, name);
}

async function algorithmOf({ name, code }: AlgorithmRef) {
  if (code !== undefined) {
    const algorithm = customAlgorithms.get(code) ?? evaluateCode(code, name);
    customAlgorithms.set(code, algorithm);
    return algorithm;
  }
  return resolve(name);
}

const server = new RunServer(algorithmOf);

async function replyTo(request: RunWorkerRequest): Promise<RunWorkerReply> {
  try {
    return await server.answer(request);
  } catch (error) {
    if (!(error instanceof InputError) && customAlgorithms.size === 0) reportError(error);
    return { kind: 'refused', why: error instanceof Error ? error.message : String(error) };
  }
}

async function serve({ id, request }: ToRunWorker): Promise<void> {
  const reply = await replyTo(request);
  try {
    send({ id, reply });
  } catch {
    send({ id, reply: { kind: 'refused', why: 'a state holds something that is not plain data' } });
  }
}

let last = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToRunWorker>) => {
  last = last.then(() => serve(data));
};
send('ready');
