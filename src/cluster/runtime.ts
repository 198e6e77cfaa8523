/** The name of the runtime if it is not Node, which lacks some parts of Node's modules. */
export const otherRuntime: 'Bun' | 'Deno' | null =
  'bun' in process.versions ? 'Bun' : 'deno' in process.versions ? 'Deno' : null;
