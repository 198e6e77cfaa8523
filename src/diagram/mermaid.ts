import type { Pid } from '../core/algorithm.ts';
import { messageText, type TraceOutput } from '../core/trace.ts';
import { type Drawable, laneCount, traceIn } from './drawable.ts';
import { isAccess } from './register-history.ts';
import { bareText } from './text-diagram.ts';
import { TraceIndex } from './trace-index.ts';

/**
 * Draws a run as a Mermaid sequence diagram. It has an arrow for each message that arrives and each access to shared memory, a note for
 * each call and emitted event, and a frame around a loop.
 * @throws {InputError} if the run has no events.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { mermaidDiagram } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * mermaidDiagram(run).split('\n')[0]; // → 'sequenceDiagram'
 */
export function mermaidDiagram(run: Drawable): string {
  const trace = traceIn(run);
  const n = laneCount(trace);
  const ids = trace.scenario.ids?.split(',');
  const { messages } = TraceIndex.of(trace);
  const lines = ['sequenceDiagram'];
  for (let i = 0; i < n; i += 1) lines.push(`  participant p${i} as ${i}${ids ? ` (id ${ids[i]})` : ''}`);
  if (trace.events.some(({ input }) => input.kind === 'step')) lines.push('  participant m as memory');
  const { loop } = trace.scenario; // the number of events before the loop
  for (const [k, { process, input, outputs }] of trace.events.entries()) {
    if (loop === `${k}`) lines.push('  loop for ever');
    if (input.kind === 'recv' || input.kind === 'lose') {
      const message = messages.get(input.serial);
      const arrow = input.kind === 'lose' ? '-x' : '->>';
      if (message) lines.push(`  p${message.from}${arrow}p${process}: ${escaped(message.text)}`);
    } else if (input.kind !== 'step') lines.push(`  Note over p${process}: ${escaped(bareText(input))}`);
    for (const output of outputs) {
      if (isAccess(output)) lines.push(`  ${accessArrow(process, output)}`);
      if (output.kind === 'emit')
        lines.push(`  Note over p${process}: ${escaped(messageText(output.event))}`);
    }
  }
  if (loop !== undefined) lines.push('  end');
  return `${lines.join('\n')}\n`;
}

function accessArrow(
  process: Pid,
  { kind, register, value }: TraceOutput & { kind: 'read' | 'write' | 'reset' },
) {
  return kind === 'read'
    ? `m-->>p${process}: ${register} = ${value}`
    : `p${process}->>m: ${register} := ${value}`;
}

/** Mermaid ends a statement at `;` and begins an entity at `#`. */
const escaped = (text: string): string => text.replace(/[#;]/g, (c) => `#${c.charCodeAt(0)};`);
