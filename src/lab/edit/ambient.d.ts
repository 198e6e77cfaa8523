declare module 'virtual:standard-library' {
  const files: Readonly<Record<string, string>>;
  export default files;
}

// The compiler in one file, without the command that comes with the package of that name.
declare module '@ts-morph/common/dist/typescript.js' {
  import { ts } from '@ts-morph/common';
  export default ts;
}
