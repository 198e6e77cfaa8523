// Runs the compiler in a worker, because it is large and type checks are slow.
import library from 'virtual:standard-library';
import { Compiler } from './typescript-compiler.ts';

const texts = import.meta.glob<string>(
  ['../../core/*.ts', '../../algorithms/{mutex,election,clocks,shared}/*.ts', '../../mutants/*.ts'],
  { query: '?raw', import: 'default', eager: true },
);
const modules = Object.fromEntries(
  Object.entries(texts).map(([path, text]) => [path.replace('../../', '/src/'), text]),
);
const compiler = new Compiler(library, modules);

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly text: string }>) =>
  self.postMessage({ id: data.id, compiled: compiler.compile(data.text) });
