// Long lists travel in pieces, so that no message is larger than the transport carries. The last piece is the message itself; the
// pieces before it are messages of a kind of their own.
import { retainedBytes } from './retained-bytes.ts';

/** The most bytes of one piece, as estimated. A character takes up to three bytes in a frame, so a piece stays far below its limit. */
export const pieceBytes = 2 ** 18;

/** The most bytes of all pieces of one list, as estimated. */
export const listBytes = 2 ** 26;

/** Splits a list. Returns at least one piece, which may be empty. */
export function inPieces<T>(items: readonly T[], limit = pieceBytes): readonly T[][] {
  const pieces: T[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const more = retainedBytes(item);
    if (bytes + more > limit && bytes > 0) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(item);
    bytes += more;
  }
  return pieces;
}

/** A list that arrives in pieces. It is limited in bytes. */
export class PieceList<T> {
  readonly items: T[] = [];
  #bytes = 0;

  /** Returns false if the list is too long. */
  add(piece: readonly T[]): boolean {
    for (const item of piece) {
      this.#bytes += retainedBytes(item);
      this.items.push(item);
    }
    return this.#bytes <= listBytes;
  }
}
