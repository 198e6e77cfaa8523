import { vectorClocks } from '../causality/logical-clocks.ts';
import { eventText } from '../core/trace.ts';
import { type Drawable, traceIn } from './drawable.ts';

/**
 * Writes a run as a log for ShiViz, two lines per event. ShiViz reads it with its default expression,
 * `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`.
 * @throws {InputError} if the run has no events.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { shivizLog } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * shivizLog(run).split('\n')[1]; // → 'p2 {"p2":1}'
 */
export function shivizLog(run: Drawable): string {
  const trace = traceIn(run);
  const clocks = vectorClocks(trace);
  const lines = trace.events.map((event, index) => {
    const clock = [...clocks[index]!].sort(([a], [b]) => a - b).map(([k, count]) => `"p${k}":${count}`);
    return `${eventText(event)}\np${event.process} {${clock.join(',')}}\n`;
  });
  return lines.join('');
}
