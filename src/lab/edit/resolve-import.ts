/**
 * Returns the path of an imported module. `../../core/bounds.ts` matches the path with that ending,
 * because the text may come from any folder.
 */
export function resolveImport(specifier: string, paths: readonly string[]): string | null {
  // Texts in older links import `batonjs`, where the core once was.
  if (/^batonjs(\/core)?$/.test(specifier))
    return paths.find((path) => path.endsWith('/core/index.ts')) ?? null;
  if (!specifier.startsWith('.')) return null;
  const end = specifier.replace(/^(\.{1,2}\/)+/, '/').replace(/\.js$/, '.ts');
  return paths.find((path) => path.endsWith(end)) ?? null;
}
