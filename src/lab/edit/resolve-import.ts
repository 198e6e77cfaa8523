/** The module that an import means, among these paths: `../../core/bounds.ts` is the one that ends so, wherever the text once stood. */
export function resolveImport(specifier: string, paths: readonly string[]): string | null {
  if (/^batonjs(\/core)?$/.test(specifier))
    return paths.find((path) => path.endsWith('/core/index.ts')) ?? null;
  if (!specifier.startsWith('.')) return null;
  const end = specifier.replace(/^(\.{1,2}\/)+/, '/').replace(/\.js$/, '.ts');
  return paths.find((path) => path.endsWith(end)) ?? null;
}
