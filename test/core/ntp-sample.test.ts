import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestSample, clockFilter, errorBound, type Sample, sampleOf } from '../../src/core/ntp-sample.ts';

test('the offset is exact when both messages take equally long', () => {
  expect(sampleOf([100, 160, 165, 125])).toEqual({ offset: 50, delay: 20, at: 125 });
});

test('the true offset is within half the delay, and at its limit when one message takes no time', () => {
  const way = fc.nat(1000);
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), way, way, way, (offset, there, inside, back) => {
      const T4 = there + inside + back;
      const sample = sampleOf([0, there + offset, there + inside + offset, T4]);
      expect(Math.abs(sample.offset - offset)).toBeLessThanOrEqual(errorBound(sample, T4, 0));
      if (there === 0 || back === 0) expect(Math.abs(sample.offset - offset)).toBe(sample.delay / 2);
    }),
  );
});

test('the best of eight samples has the smallest error bound; drift makes an old one worse', () => {
  const [old, young] = [
    { offset: 1, delay: 10, at: 0 },
    { offset: 2, delay: 12, at: 100 },
  ];
  expect(bestSample([old, young], 100, 0)).toBe(old);
  expect(bestSample([old, young], 100, 0.1)).toBe(young);
  expect(bestSample([], 0, 0)).toBeNull();
  const all = Array.from({ length: 10 }, (_, at) => ({ ...old, at }));
  const filtered = all.reduce<readonly Sample[]>((samples, sample) => clockFilter(samples, sample), []);
  expect(filtered.map(({ at }) => at)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
});
