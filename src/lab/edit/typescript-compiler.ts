// Compiles a text from TypeScript to JavaScript and reports its errors.
/// <reference path="./ambient.d.ts" />
import ts from '@ts-morph/common/dist/typescript.js';
import { guardLoops } from './loop-guard.ts';
import { resolveImport } from './resolve-import.ts';

/** An error in a text, from one offset to another. */
export interface TextDiagnostic {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export interface CompiledText {
  readonly code: string; // a CommonJS module
  readonly map: string; // source map from the code to the text
  readonly syntax: readonly TextDiagnostic[]; // errors that prevent a run
  readonly types: readonly TextDiagnostic[]; // errors that do not
}

type TextFiles = Readonly<Record<string, string>>;

const edited = '/edited.ts';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

export class Compiler {
  readonly #service: ts.LanguageService;
  #text = '';
  #version = 0;

  /**
   * @param library The declarations of the language, by file name.
   * @param modules The modules that a text can import, by path.
   */
  constructor(library: TextFiles, modules: TextFiles) {
    const files: Record<string, string> = { ...modules };
    for (const [name, text] of Object.entries(library)) files[`/lib/${name}`] = text;
    const paths = Object.keys(modules);
    const read = (path: string) => (path === edited ? this.#text : files[path]);
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [edited],
      getScriptVersion: (path) => (path === edited ? `${this.#version}` : '0'),
      getScriptSnapshot: (path) => {
        const text = read(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
      resolveModuleNameLiterals: (literals, from) =>
        literals.map(({ text }) => {
          const found = from === edited ? resolveImport(text, paths) : resolveExact(from, text);
          return {
            resolvedModule:
              found === null ? undefined : { resolvedFileName: found, extension: ts.Extension.Ts },
          };
        }),
    });
  }

  compile(text: string): CompiledText {
    this.#text = text;
    this.#version += 1;
    const emitted = ts.transpileModule(text, {
      fileName: edited,
      compilerOptions: { ...options, module: ts.ModuleKind.CommonJS, noEmit: false, sourceMap: true },
      transformers: { before: [guardLoops] },
    });
    return {
      code: emitted.outputText.replace(/^\/\/# sourceMappingURL=.*$/m, ''),
      map: emitted.sourceMapText!,
      syntax: this.#service.getSyntacticDiagnostics(edited).map(toDiagnostic),
      types: this.#service.getSemanticDiagnostics(edited).map(toDiagnostic),
    };
  }
}

/** Resolves an import between two files of the project, whose path is exact. */
const resolveExact = (from: string, to: string): string => new URL(to, `file://${from}`).pathname;

function toDiagnostic({ start = 0, length = 0, messageText }: ts.Diagnostic): TextDiagnostic {
  return { from: start, to: start + length, message: diagnosticText(messageText) };
}

/** Returns the message of a diagnostic and the innermost reason. */
function diagnosticText(message: string | ts.DiagnosticMessageChain): string {
  if (typeof message === 'string') return message;
  let deepest = message;
  while (deepest.next?.[0]) deepest = deepest.next[0];
  return deepest === message ? message.messageText : `${message.messageText} ${deepest.messageText}`;
}
