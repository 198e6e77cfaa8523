/** Returns the arguments with which the runtime of this process runs a text as a module. */
export const moduleArguments = (text: string): string[] =>
  'deno' in process.versions ? ['eval', text] : ['--input-type=module', '-e', text];
