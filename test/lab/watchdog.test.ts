import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Watchdog } from '../../src/lab/run-worker/watchdog.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a watchdog reports silence once, after four seconds of silence', () => {
  const onSilence = vi.fn();
  const watchdog = new Watchdog(onSilence);
  watchdog.start();
  vi.advanceTimersByTime(3900);
  watchdog.hear();
  vi.advanceTimersByTime(3500);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(500);
  expect(onSilence).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(onSilence).toHaveBeenCalledTimes(1);
  watchdog.start();
  watchdog.stop();
  vi.advanceTimersByTime(10_000);
  expect(onSilence).toHaveBeenCalledTimes(1);
});
