import { vectorClocks } from '../causality/logical-clocks.ts';
import { eventText } from '../core/trace.ts';
import { type Drawable, traceIn } from './drawable.ts';

/**
 * A log for ShiViz, two lines per event. It is read with ShiViz's default expression,
 * `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`.
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
