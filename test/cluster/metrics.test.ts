import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';
import { join } from '../../src/cluster/index.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

test('records metrics with an SDK in the application', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const a = await join('measured', { leaseMs: 300 });
  const b = await join('measured', { leaseMs: 300 });
  for (const group of [a, b, a, b, b]) await (await group.lock('x')).release();
  await a.lock('x');
  for (const wait of [
    () => b.lock('x', { timeoutMs: 5 }),
    () => b.lockAll(['x', 'y'], { timeoutMs: 5 }),
    () => a.lock('x', { timeoutMs: 5 }),
  ])
    await expect(wait()).rejects.toMatchObject({ code: 'timeout' });
  await expect(a.lock('x', { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({ code: 'aborted' });
  const lost = new Promise((resolve) => a.on('lost', resolve));
  for (const until = Date.now() + 300; Date.now() < until; ); // longer than the lease
  await lost;
  await expect.poll(() => a.view !== null && b.view !== null).toBe(true);
  await reader.forceFlush();
  const found = Object.fromEntries(
    exporter
      .getMetrics()
      .at(-1)!
      .scopeMetrics[0]!.metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ value, attributes }) => ({
          ...attributes,
          value: typeof value === 'number' ? value : value.count,
        })),
      ]),
  );
  const group = { 'baton.group': 'measured' };
  expect(found['baton.lock.wait']).toEqual([{ ...group, value: 6 }]);
  expect(found['baton.lock.hold']).toEqual([{ ...group, value: 6 }]);
  expect(found['baton.lock.handovers']![0]!.value).toBeGreaterThanOrEqual(4);
  expect(found['baton.lock.losses']).toEqual([{ ...group, 'baton.cause': 'lease over', value: 1 }]);
  expect(found['baton.lock.timeouts']).toEqual([{ ...group, value: 3 }]);
  expect(found['baton.views']![0]!.value).toBeGreaterThanOrEqual(3);
  expect(found['baton.clock.skew']).toEqual([{ ...group, value: 0 }]);
  expect(found['baton.lease.renewal']![0]!.value).toBeGreaterThan(0);
  await Promise.all([a.leave(), b.leave()]);
});
