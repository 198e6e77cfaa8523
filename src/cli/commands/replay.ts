import { algorithmInfo, type EitherAlgorithm, resolve } from '../../catalogue/index.ts';
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import { parseTrace, type Trace } from '../../core/trace.ts';
import { laneCount, mermaidDiagram, shivizLog, svgDiagram, textDiagram } from '../../diagram/index.ts';
import { replay } from '../../sim/index.ts';
import { loadAlgorithm } from '../input/algorithm-file.ts';
import { readTextFile } from '../input/read-file.ts';
import { eventChanges } from '../output/event-changes.ts';

const forms = {
  diagram: (trace: Trace, algorithm: EitherAlgorithm) =>
    textDiagram(trace, { events: Infinity, below: eventChanges(algorithm, trace) }),
  shiviz: shivizLog,
  mermaid: mermaidDiagram,
  svg: (trace: Trace, algorithm: EitherAlgorithm) =>
    svgDiagram(trace, { memory: algorithmInfo(algorithm).registers(laneCount(trace)) }),
};

export interface ReplayOptions {
  readonly json?: boolean;
  readonly as?: string;
  readonly algorithm?: string;
}

export async function replayCommand(file: string, { json, as, algorithm }: ReplayOptions): Promise<number> {
  const draw = as === undefined ? null : formNamed(as);
  const trace = parseTrace(readTextFile(file), file);
  const entry = algorithm === undefined ? named(file, trace) : await loadAlgorithm(algorithm);
  const result = replay(entry, trace);
  if (json) console.log(JSON.stringify(result, null, 2));
  else if (!result.ok) {
    const { line, expected, actual } = result.firstDifference!;
    console.log(`${file}: differs at line ${line}, after ${result.events} events that agree`);
    console.log(`  the trace says  ${expected || 'nothing happens'}`);
    console.log(`  the replay did  ${actual || 'nothing'}`);
  } else if (draw) process.stdout.write(draw(trace, entry));
  else {
    console.log(`${file}: ${result.events} events of ${entry.name} replayed, every output agrees`);
    console.log(`  verdict of the run: ${trace.verdict}`);
  }
  return result.ok ? 0 : 1;
}

/** A trace may only name algorithms of the catalogue: it is data, and must not load and run a file. */
function named(file: string, { scenario: { algorithm } }: Trace): EitherAlgorithm {
  if (algorithm === undefined) throw new InputError(`${file} does not say of which algorithm it is`);
  try {
    return resolve(algorithm);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      `${file}: if its algorithm stands in a file, say --algorithm FILE; ${error.message}`,
    );
  }
}

function formNamed(name: string) {
  if (Object.hasOwn(forms, name)) return forms[name as keyof typeof forms];
  const names = Object.keys(forms);
  throw new InputError(`--as '${name}' is not known${suggest(name, names)}: choose ${names.join(', ')}`);
}
