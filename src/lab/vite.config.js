import { standardLibrary } from './edit/standard-library.ts';

/** For the editor's compiler, `virtual:standard-library`. */
const withStandardLibrary = {
  name: 'standard-library',
  resolveId: (id) => (id === 'virtual:standard-library' ? `\0${id}` : null),
  load: (id) =>
    id === '\0virtual:standard-library' ? `export default ${JSON.stringify(standardLibrary())}` : null,
};

/** The compiler asks for Node's clock and does without. */
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
    outDir: '../../dist/lab',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000, // kB: the compiler, which is loaded with the editor
    rolldownOptions,
  },
};
