import { standardLibrary } from './edit/standard-library.ts';

/** Provides `virtual:standard-library` to the editor's compiler. */
const withStandardLibrary = {
  name: 'standard-library',
  resolveId: (id) => (id === 'virtual:standard-library' ? `\0${id}` : null),
  load: (id) =>
    id === '\0virtual:standard-library' ? `export default ${JSON.stringify(standardLibrary())}` : null,
};

/** Replaces Node's clock with an empty module. The compiler works without it. */
const noNode = {
  name: 'no-node',
  enforce: 'pre',
  resolveId: (id) => (id === 'perf_hooks' ? '\0nothing' : null),
  load: (id) => (id === '\0nothing' ? 'export {}' : null),
};

const rolldownOptions = { checks: { pluginTimings: false } };

export default {
  base: './', // works from any folder
  plugins: [withStandardLibrary],
  worker: { format: 'es', plugins: () => [withStandardLibrary, noNode], rolldownOptions },
  build: {
    outDir: '../../packages/batonjs-lab/dist/page',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000, // kB: the compiler, which is loaded with the editor
    rolldownOptions,
  },
};
