import { fibonacciIndex } from '../../src/core/bounds.ts';

/**
 * Returns a ring that costs as many steps as n allows. The construction goes backwards from the only survivor, and adds as few
 * processes before each step as that step must remove. In an odd step a survivor's predecessor was smaller. In an even step the
 * predecessor had the survivor's present tid, and the survivor had a smaller one.
 */
export function fibonacciRing(n: number): number[] {
  let small = 0;
  const smaller = () => (small -= 1);
  const before: Record<'odd' | 'even', (ring: number[]) => number[]> = {
    odd: (ring) => ring.flatMap((tid, i) => (ring.at(i - 1)! < tid ? [tid] : [smaller(), tid])),
    even: (ring) =>
      ring.flatMap((tid, i) => {
        const previous = ring.at(i - 1)!;
        const following = ring[(i + 1) % ring.length]!;
        const own = following < tid ? following : smaller();
        return tid < previous ? [own] : [tid, own];
      }),
  };
  const steps = fibonacciIndex(n) - 1;
  let ring = [0];
  for (let step = steps - 1; step >= 1; step -= 1) ring = before[step % 2 === 1 ? 'odd' : 'even'](ring);
  const largest = ring.indexOf(Math.max(...ring));
  ring.splice(largest + 1, 0, ...Array.from({ length: n - ring.length }, smaller)); // step 1 removes them
  const sorted = [...ring].sort((a, b) => a - b);
  return ring.map((tid) => 1 + sorted.indexOf(tid));
}
