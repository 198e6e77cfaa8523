import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseTrace } from '../../src/core/trace.ts';
import { TraceIndex } from '../../src/diagram/index.ts';

test('a suspicion is not an entry', () => {
  const trace = parseTrace(readFileSync('test/golden/central-coordinator-denied/silence.trace', 'utf8'));
  expect(trace.events.some(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'))).toBe(true);
  expect(TraceIndex.of(trace).entries).toEqual([]);
});
