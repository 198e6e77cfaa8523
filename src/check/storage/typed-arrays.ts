/** How much larger an array becomes that is written from front to back. Memory that was never written to is not taken yet. */
export const growth = 2;

/** Returns a copy with more room. It is shared between threads if the array is. */
export function grown<A extends Int32Array>(array: A, length: number): A {
  const larger = emptyLike(array, length);
  larger.set(array);
  return larger;
}

/** Returns an array of zeros. It is shared between threads if the given one is. */
export const emptyLike = <A extends Int32Array>({ buffer }: A, length: number): A =>
  new Int32Array(new (buffer.constructor as typeof ArrayBuffer)(4 * length)) as A;

/** Returns a copy that threads can share. */
export function shared<A extends Int32Array>(array: A): A {
  const copy = new Int32Array(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy as Int32Array as A;
}
