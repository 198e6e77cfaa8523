// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors.
// Mathematisch Centrum IW 243/83, 1983 (STOC 1984), section 2: ids in dyadic digits. Small ids, which travel far, are short.

/**
 * Returns i in base two with the digits 1 and 2, least significant first: 1, 2, 11, 21, 12, 22, ..; it has floor(log(i+1)) digits.
 * @example
 * import { dyadic } from 'batonjs/algorithms';
 *
 * [1, 2, 3, 4].map(dyadic); // → ['1', '2', '11', '21']
 */
export function dyadic(i: number): string {
  let digits = '';
  for (let rest = i; rest > 0; ) {
    const digit = rest % 2 === 0 ? 2 : 1;
    digits += digit;
    rest = (rest - digit) / 2;
  }
  return digits;
}

/**
 * Returns the number with these dyadic digits: the inverse of {@link dyadic}.
 * @example
 * import { fromDyadic } from 'batonjs/algorithms';
 *
 * fromDyadic('21'); // → 4
 */
export const fromDyadic = (digits: string): number =>
  [...digits].reduceRight((i, digit) => 2 * i + Number(digit), 0);

/**
 * Returns the bits of a message of {@link vitanyi} as the paper counts them: one for wakeup and sleepwell, one for each digit of M_j.
 * @example
 * import { dyadicBits } from 'batonjs/algorithms';
 *
 * dyadicBits({ type: 'wakeup' }); // → 1
 * dyadicBits({ type: 'M', j: 6 }); // → 2
 */
export const dyadicBits = (message: { readonly type: string; readonly j?: number }): number =>
  message.type === 'M' ? dyadic(message.j!).length : 1;
