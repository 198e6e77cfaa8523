// The model of the public interface: what the reference renders, and what its tests check.

/** One doc comment. */
export interface Doc {
  readonly text: string;
  readonly params: readonly { readonly name: string; readonly text: string }[];
  readonly returns: string;
  readonly throws: readonly { readonly type: string; readonly text: string }[];
  readonly defaultValue: string;
  readonly examples: readonly string[];
  readonly see: readonly string[];
  readonly deprecated: string;
  readonly tags: readonly string[];
}

/** A member of an interface, a class or an object type. A nested one has a path: `token.isHeld`. */
export interface ApiMember {
  readonly name: string;
  readonly kind: 'property' | 'method' | 'constructor' | 'index';
  readonly isOptional: boolean;
  readonly isStatic: boolean;
  /** The type of a property. */
  readonly type: string;
  /** The signature of a method. */
  readonly signature: string;
  readonly doc: Doc;
}

export interface ApiEntry {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'constant';
  /** The subpath whose page documents the export, like `batonjs/core`. */
  readonly subpath: string;
  /** The source file, like `src/core/random.ts`. */
  readonly source: string;
  readonly signature: string;
  readonly doc: Doc;
  readonly members: readonly ApiMember[];
  /** The exports that the declaration names. */
  readonly uses: readonly string[];
  /** The types that the declaration names and no subpath exports. */
  readonly hidden: readonly string[];
  /** Whether a parameter called `options` has this type, or its name ends with `Options`. */
  readonly isOptions: boolean;
  /** The value, for constants. */
  readonly value: unknown;
}

export interface ApiPage {
  readonly subpath: string;
  /** The file, like `core.md`. */
  readonly file: string;
  /** The exports that this page documents. */
  readonly entries: readonly ApiEntry[];
  /** The exports that the page of another subpath documents. */
  readonly elsewhere: readonly ApiEntry[];
}

/** Reads the declarations in dist/. */
export function readApi(root: string): Promise<ApiPage[]>;
