// What an algorithm declares of the fields of its messages, checked by the compiler against their types.

/**
 * What a field of a message may hold. `process`: a position 0 .. n-1. `processes`: a list of them, each at most once. `count per process`:
 * a list of n counts. `counts by process`: an object with positions as keys. `count`: a whole number from 0. `plain`: any plain data.
 * `below`: a count below this number. `perProcess`: a list of n texts, each of them one of these. A list: a list of exactly these.
 */
export type MessageShape =
  | 'boolean'
  | 'integer'
  | 'count'
  | 'process'
  | 'processes'
  | 'count per process'
  | 'counts by process'
  | 'plain'
  | { readonly below: number }
  | { readonly perProcess: readonly string[] }
  | readonly MessageShape[];

/** The shapes that suit a type. Every type also has `plain`. */
export type ShapeOf<T> =
  | 'plain'
  | ([T] extends [boolean]
      ? 'boolean'
      : [T] extends [number]
        ? 'integer' | 'count' | 'process' | { readonly below: number }
        : [T] extends [readonly unknown[]]
          ? ListShape<T>
          : [T] extends [{ readonly [key: number]: number }]
            ? 'counts by process'
            : never);

type ListShape<T extends readonly unknown[]> = number extends T['length']
  ? T extends readonly number[]
    ? 'processes' | 'count per process'
    : T extends readonly string[]
      ? { readonly perProcess: readonly T[number][] }
      : never
  : { readonly [K in keyof T]: ShapeOf<T[K]> };

/** The fields of each kind of message, besides `type`. */
export type ShapesOf<M extends { readonly type: string }> = {
  readonly [T in M['type']]: FieldShapes<KindIn<M, T>>;
};

/** The variant of a union whose type is one of several, T among them. */
type KindIn<M extends { readonly type: string }, T extends string> = M extends unknown
  ? T extends M['type']
    ? M
    : never
  : never;

type FieldShapes<V> = { readonly [F in Exclude<keyof V, 'type'>]: ShapeOf<V[F]> };

/** The fields of each kind of message, as hosts see them. */
export type MessageShapes = { readonly [type: string]: { readonly [field: string]: MessageShape } };
