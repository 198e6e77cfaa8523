// Runs algorithms, beside the page. Whoever started this thread ends it when it does not answer.
import { resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import { Backstage } from './backstage.ts';
import type { Answer, FromThread, Named, Request, ToThread } from './protocol.ts';

const say = (message: FromThread) => self.postMessage(message);

const written = new Map<string, ReturnType<typeof evaluated>>(); // by what it was compiled to

async function evaluated(code: string, name: string) {
  const { evaluate } = await import('../edit/evaluate.ts');
  return evaluate(code, name);
}

async function algorithmOf({ name, code }: Named) {
  if (code !== undefined) {
    const algorithm = written.get(code) ?? evaluated(code, name);
    written.set(code, algorithm);
    return algorithm;
  }
  return resolve(name);
}

const backstage = new Backstage(algorithmOf);

async function answered(request: Request): Promise<Answer> {
  try {
    return await backstage.answer(request);
  } catch (error) {
    if (!(error instanceof InputError) && written.size === 0) reportError(error);
    return { kind: 'refused', why: error instanceof Error ? error.message : String(error) };
  }
}

async function serve({ id, request }: ToThread): Promise<void> {
  const answer = await answered(request);
  try {
    say({ id, answer });
  } catch {
    say({ id, answer: { kind: 'refused', why: 'a state holds something that is not plain data' } });
  }
}

let last = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  last = last.then(() => serve(data));
};
say('ready');
