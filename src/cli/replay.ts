import { readFileSync } from 'node:fs';
import { InputError } from '../core/assert.ts';
import { parseTrace } from '../core/trace.ts';
import { mermaidDiagram, shivizLog, textDiagram } from '../diagram/index.ts';
import { replay } from '../sim/index.ts';
import { find } from './catalogue.ts';
import { nearest } from './nearest.ts';

const exports = {
  diagram: (trace: Parameters<typeof textDiagram>[0]) => textDiagram(trace, { events: Infinity }),
  shiviz: shivizLog,
  mermaid: mermaidDiagram,
};

export function replayCommand(file: string, { json, as }: { json?: boolean; as?: string }): number {
  const draw = as === undefined ? null : exportNamed(as);
  const trace = parseTrace(read(file), file);
  if (trace.scenario.algorithm === undefined)
    throw new InputError(`${file} does not say of which algorithm it is`);
  const result = replay(find(trace.scenario.algorithm), trace);
  if (json) console.log(JSON.stringify(result, null, 2));
  else if (!result.ok) {
    const { line, expected, actual } = result.firstDifference!;
    console.log(`${file}: differs at line ${line}, after ${result.events} events that agree`);
    console.log(`  the trace says  ${expected || 'nothing happens'}`);
    console.log(`  the replay did  ${actual || 'nothing'}`);
  } else if (draw) process.stdout.write(draw(trace));
  else {
    console.log(
      `${file}: ${result.events} events of ${trace.scenario.algorithm} replayed, every output agrees`,
    );
    console.log(`  verdict of the run: ${trace.verdict}`);
  }
  return result.ok ? 0 : 1;
}

function exportNamed(name: string) {
  if (name in exports) return exports[name as keyof typeof exports];
  const names = Object.keys(exports);
  const suggestion = nearest(name, names);
  throw new InputError(
    `--as '${name}' is not known${suggestion ? `; did you mean ${suggestion}` : ''}: choose ${names.join(', ')}`,
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new InputError(
      code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${(error as Error).message}`,
    );
  }
}
