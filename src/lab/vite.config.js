import { getLibFiles } from '@ts-morph/common';

const standard = /\/lib\.(es5|es20(1\d|2[0-3])(\.\w+)?|decorators(\.legacy)?)\.d\.ts$/;

/** What the language itself declares, for the editor's compiler: `virtual:standard-library` by file name. */
const standardLibrary = {
  name: 'standard-library',
  resolveId: (id) => (id === 'virtual:standard-library' ? `\0${id}` : null),
  load(id) {
    if (id !== '\0virtual:standard-library') return null;
    const files = getLibFiles().filter(({ fileName }) => standard.test(`/${fileName}`));
    return `export default ${JSON.stringify(Object.fromEntries(files.map(({ fileName, text }) => [fileName, text])))}`;
  },
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
  plugins: [standardLibrary],
  worker: { format: 'es', plugins: () => [standardLibrary, noNode], rolldownOptions },
  build: {
    outDir: '../../dist/lab',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000, // kB: the compiler, which is loaded with the editor
    rolldownOptions,
  },
};
