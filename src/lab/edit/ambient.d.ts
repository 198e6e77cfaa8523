declare module 'virtual:standard-library' {
  const files: Readonly<Record<string, string>>;
  export default files;
}

// The TypeScript compiler as one file, without the command-line tool of the `typescript` package.
declare module '@ts-morph/common/dist/typescript.js' {
  import { ts } from '@ts-morph/common';
  export default ts;
}
