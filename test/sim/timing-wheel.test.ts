import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimingWheel } from '../../src/sim/events/timing-wheel.ts';

test('events come in order of time, then of scheduling, even if events are added meanwhile', () => {
  const delay = fc.oneof(fc.nat(3), fc.nat(2000), fc.nat(3_000_000), fc.integer({ min: 0, max: 2 ** 40 }));
  // Each event, when taken, schedules the next few of the list, relative to its own time.
  fc.assert(
    fc.property(
      fc.array(delay, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 3 }),
      (delays, fanOut) => {
        const wheel = new TimingWheel({ withSerials: true });
        const expected: { time: number; serial: number }[] = [];
        let serial = 0;
        const add = () => {
          if (serial === delays.length) return;
          const time = wheel.now + delays[serial]!;
          const slot = wheel.add(time, serial, 0, serial * 2, `event ${serial}`);
          wheel.serial[slot] = serial;
          expected.push({ time, serial });
          serial += 1;
        };
        add();
        for (let slot = wheel.take(); slot >= 0; slot = wheel.take()) {
          expected.sort((a, b) => a.time - b.time || a.serial - b.serial);
          const next = expected.shift()!;
          expect(wheel.now).toBe(next.time);
          expect(wheel.process[slot]).toBe(next.serial);
          expect(wheel.detail[slot]).toBe(next.serial * 2);
          expect(wheel.serial[slot]).toBe(next.serial);
          expect(wheel.content[slot]).toBe(`event ${next.serial}`);
          for (let k = 0; k < fanOut; k += 1) add();
          expect([...wheel.pending()].map((at) => wheel.process[at]!).sort((a, b) => a - b)).toEqual(
            expected.map((event) => event.serial).sort((a, b) => a - b),
          );
        }
        expect(serial).toBe(delays.length);
        expect(expected).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});

test('its memory depends on the number of pending events, not of all events', () => {
  const wheel = new TimingWheel();
  for (let k = 0; k < 100; k += 1) wheel.add(k, k, 0, 0, null);
  for (let k = 0; k < 1_000_000; k += 1) {
    wheel.take();
    wheel.add(wheel.now + 1 + (k % 5000), k & 0xff, 0, 0, null);
  }
  expect(wheel.process.length).toBeLessThan(20_000);
});

test('there is no time beyond 2^53', () => {
  expect(() => new TimingWheel().add(2 ** 53, 0, 0, 0, null)).toThrow('virtual time ends');
});
