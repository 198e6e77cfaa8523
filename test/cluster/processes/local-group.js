// Joins a group of this machine, takes a lock and leaves. Prints which parts of Node and of other packages were loaded for that.
import { createRequire } from 'node:module';
import { join } from 'batonjs';

const group = await join('local');
await (await group.lock('x')).release();
await group.leave();
const packages = Object.keys(createRequire(import.meta.url).cache).flatMap(
  (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
);
const ofNode = process.moduleLoadList.flatMap(
  (name) => /^NativeModule ((?:tls|http2?|https)$)/.exec(name)?.[1] ?? [],
);
console.log([...new Set([...packages, ...ofNode])].sort().join());
console.log('ready');
