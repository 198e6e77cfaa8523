import { InputError } from '../core/assert.ts';
import { suggest } from '../core/nearest.ts';
import { parseTrace } from '../core/trace.ts';
import { mermaidDiagram, shivizLog, textDiagram } from '../diagram/index.ts';
import { replay } from '../sim/index.ts';
import { find } from './catalogue.ts';
import { read } from './read.ts';

const forms = {
  diagram: (trace: Parameters<typeof textDiagram>[0]) => textDiagram(trace, { events: Infinity }),
  shiviz: shivizLog,
  mermaid: mermaidDiagram,
};

export function replayCommand(file: string, { json, as }: { json?: boolean; as?: string }): number {
  const draw = as === undefined ? null : formNamed(as);
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

function formNamed(name: string) {
  if (Object.hasOwn(forms, name)) return forms[name as keyof typeof forms];
  const names = Object.keys(forms);
  throw new InputError(`--as '${name}' is not known${suggest(name, names)}: choose ${names.join(', ')}`);
}
