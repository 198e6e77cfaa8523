import type { ChannelKind, Fact, Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import type { LogicalClock } from '../../core/logical-clock.ts';
import { isMeaningful } from '../../machine/index.ts';
import type { ClockConfig } from './clock-config.ts';
import type { CommonFault, Fault } from './faults.ts';
import type { Scenario } from './scenario.ts';
import type { Setup, Starts } from './setup.ts';

/** A scenario as text, field by field: the command line's options and the head of a trace. */
export type ScenarioFields = Readonly<Record<string, string | undefined>>;

/**
 * Reads a scenario from text. Unknown fields are ignored, so the head of a trace can be read.
 * @throws {InputError} if a field cannot be read. {@link prepare} checks whether the scenario can be run.
 * @example
 * import { parseScenario } from 'batonjs-lab/sim';
 *
 * const scenario = parseScenario({ ids: '3,1,2', start: '0,2@50', crash: '1@30' });
 * scenario.ids; // → [3, 1, 2]
 * scenario.start; // → [{ process: 0 }, { process: 2, at: 50 }]
 * scenario.faults; // → [{ type: 'crash', process: 1, at: 30 }]
 */
export function parseScenario(fields: ScenarioFields): Scenario {
  const scenario: { -readonly [K in keyof Scenario]: Scenario[K] } = {};
  const { n, ids, topology, root, channels, latency, slow, loss, duplication, clocks, start } = fields;
  if (n !== undefined) scenario.n = number(n, 'n');
  if (ids !== undefined) scenario.ids = numbers(ids, 'ids');
  if (topology !== undefined) scenario.topology = topology;
  if (root !== undefined) scenario.root = number(root, 'root');
  if (channels !== undefined) scenario.channels = channels as ChannelKind; // checked with the rest
  if (latency !== undefined) scenario.latency = latency;
  if (slow !== undefined) scenario.slow = items(slow).map(slowLink);
  if (loss !== undefined) scenario.loss = number(loss, 'loss');
  if (duplication !== undefined) scenario.duplication = number(duplication, 'duplication');
  if (fields.detector !== undefined) scenario.detector = fields.detector;
  if (clocks !== undefined) scenario.clocks = numbers(clocks, 'clocks');
  if (start !== undefined)
    scenario.start =
      start === 'all' ? 'all' : start === 'none' ? [] : items(start).map((item) => startItem(item));
  if (fields.snapshot !== undefined)
    scenario.snapshot = items(fields.snapshot).map((item) => startItem(item, 'snapshot'));
  if (fields.entries !== undefined) scenario.entries = number(fields.entries, 'entries');
  if (fields.think !== undefined) scenario.think = fields.think;
  if (fields.hold !== undefined) scenario.hold = fields.hold;
  if (fields.offsets !== undefined) scenario.offsets = numbers(fields.offsets, 'offsets');
  if (fields.drifts !== undefined) scenario.drifts = numbers(fields.drifts, 'drifts');
  if (fields.drift !== undefined) scenario.drift = number(fields.drift, 'drift');
  if (fields.slew !== undefined)
    scenario.slew = fields.slew === 'step' ? 'step' : number(fields.slew, 'slew');
  if (fields.rounds !== undefined) scenario.rounds = number(fields.rounds, 'rounds');
  if (fields.seed !== undefined) scenario.seed = number(fields.seed, 'seed');
  if (fields.limit !== undefined) scenario.limit = number(fields.limit, 'limit');
  const faults = parseFaults(fields);
  if (faults.length > 0) scenario.faults = faults;
  return scenario;
}

/**
 * Returns the fields that reproduce a setup, in a fixed order. Fields without effect are left out.
 * @example
 * import { changRoberts } from 'batonjs/algorithms';
 * import { prepare, setupFields } from 'batonjs-lab/sim';
 *
 * const { ids, topology, start } = setupFields(prepare(changRoberts, { ids: [2, 3, 1] }));
 * [ids, topology, start]; // → ['2,3,1', 'ring', 'all']
 */
export function setupFields(setup: Setup): Record<string, string> {
  const { algorithm, topology, starts, clocks, clockConfig, faults } = setup;
  const mutex = algorithm.problem === 'mutex';
  const knows = (fact: Fact) => algorithm.knows.includes(fact);
  const shape = topology.name === 'edges' ? `edges:${topology.whole.list()}` : topology.name;
  const all: Record<string, string | false> = {
    algorithm: algorithm.name,
    n: `${setup.n}`,
    ids: knows('id') && Array.from(setup.ids).join(','),
    topology: isMeaningful(algorithm, 'topology') && shape,
    root: (knows('root') || knows('parent')) && `${setup.root}`,
    channels: isMeaningful(algorithm, 'channels') && setup.channels,
    latency: setup.latency.text,
    slow: setup.slow.size > 0 && slowText(setup),
    loss: setup.loss > 0 && `${setup.loss}`,
    duplication: setup.duplication > 0 && `${setup.duplication}`,
    ...faultFields(faults),
    detector: setup.detector?.text ?? false,
    clocks: clocks?.join(',') ?? false,
    start: startText(starts),
    snapshot:
      setup.snapshots.length > 0 && setup.snapshots.map(({ process, at }) => `${process}@${at}`).join(','),
    entries: mutex && `${setup.entries}`,
    think: (mutex || clockConfig !== null) && setup.think.text,
    hold: mutex && setup.hold.text,
    ...clockFields(clockConfig),
    seed: `${setup.seed}`,
    limit: setup.limit < Infinity && `${setup.limit}`,
  };
  return given(all);
}

const clockFields = (clockConfig: ClockConfig | null): Record<string, string> =>
  clockConfig === null
    ? {}
    : {
        rounds: `${clockConfig.rounds}`,
        offsets: clockConfig.offsets.join(','),
        drifts: clockConfig.drifts.join(','),
        drift: `${clockConfig.drift}`,
        slew: clockConfig.slew === Infinity ? 'step' : `${clockConfig.slew}`,
      };

const given = (fields: Readonly<Record<string, string | false>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== false));

/**
 * Returns the head of the trace of a run. With stamps, it names their clock.
 * @example
 * import { changRoberts, lamportClock } from 'batonjs-lab/algorithms';
 * import { prepare, traceHead } from 'batonjs-lab/sim';
 *
 * const setup = prepare(changRoberts, { n: 3 });
 * traceHead(setup, { stamps: lamportClock }).stamps; // → 'lamport-clock'
 */
export const traceHead = (
  setup: Setup,
  { stamps }: { readonly stamps?: LogicalClock<unknown> | undefined } = {},
): Record<string, string> => ({ ...setupFields(setup), ...(stamps && { stamps: stamps.name }) });

function startText({ all, count, of }: Starts): string {
  if (all) return 'all';
  if (count === 0) return 'none';
  const starts = Array.from({ length: count }, (_, k) => of(k));
  return starts.map(({ process, at }) => (at === null ? `${process}` : `${process}@${at}`)).join(',');
}

function slowText({ slow, n }: Setup): string {
  const links = [...slow].map(([key, ticks]) => ({ a: Math.floor(key / n), b: key % n, ticks }));
  return links
    .flatMap(({ a, b, ticks }) => {
      if (slow.get(b * n + a) !== ticks) return [`${a}:${b}:${ticks}`];
      return a <= b ? [`${a}-${b}:${ticks}`] : [];
    })
    .join(',');
}

function faultFields(faults: readonly Fault[]): Record<string, string | false> {
  const text = (fault: Fault): string => {
    if (fault.type === 'lose') return `${fault.message}`;
    const until = 'until' in fault && fault.until < Infinity ? `-${fault.until}` : '';
    if ('between' in fault) return `${fault.between.join('-')}@${fault.at}`;
    if (fault.type === 'lie') return `${fault.process}@${fault.at}:${fault.by}`;
    const processes = fault.type === 'partition' ? fault.side.join('+') : fault.process;
    return `${processes}@${fault.at}${until}`;
  };
  const list = (type: Fault['type']) => {
    const texts = faults.filter((fault) => fault.type === type).map(text);
    return texts.length > 0 && texts.join(',');
  };
  return {
    lose: list('lose'),
    cut: list('cut'),
    link: list('link'),
    crash: list('crash'),
    restart: list('restart'),
    pause: list('pause'),
    partition: list('partition'),
    corrupt: list('corrupt'),
    lie: list('lie'),
  };
}

function parseFaults(fields: ScenarioFields): (Fault | CommonFault)[] {
  const faults: (Fault | CommonFault)[] = numbers(fields.lose, 'lose').map((message) => ({
    type: 'lose',
    message,
  }));
  for (const type of ['crash', 'restart'] as const) {
    for (const item of items(fields[type])) {
      const match = /^(\d+)@(\d+)$/.exec(item);
      if (!match) throw new InputError(`${type} '${item}': write PROCESS@TIME, like 2@30`);
      faults.push({ type, process: Number(match[1]), at: Number(match[2]) });
    }
  }
  for (const type of ['cut', 'link'] as const) {
    for (const item of items(fields[type])) {
      const match = /^(\d+)-(\d+)@(\d+)$/.exec(item);
      if (!match) throw new InputError(`${type} '${item}': write A-B@TIME, like 0-1@30`);
      faults.push({ type, between: [Number(match[1]), Number(match[2])], at: Number(match[3]) });
    }
  }
  for (const item of items(fields.corrupt)) {
    const match = /^(\d+|all)@(\d+)$/.exec(item);
    if (!match) throw new InputError(`corrupt '${item}': write PROCESS@TIME, like 2@30, or all@TIME`);
    const process = match[1] === 'all' ? 'all' : Number(match[1]);
    faults.push({ type: 'corrupt', process, at: Number(match[2]) } as Fault | CommonFault);
  }
  for (const item of items(fields.lie)) {
    const match = /^(\d+)@(\d+):(-?\d+)$/.exec(item);
    if (!match) throw new InputError(`lie '${item}': write PROCESS@TIME:TICKS, like 0@0:500`);
    faults.push({ type: 'lie', process: Number(match[1]), at: Number(match[2]), by: Number(match[3]) });
  }
  for (const item of items(fields.pause)) {
    const match = /^(\d+)@(\d+)(?:-(\d+))?$/.exec(item);
    if (!match) throw new InputError(`pause '${item}': write PROCESS@FROM-UNTIL, like 2@30-80`);
    const until = Number(match[3] ?? Infinity);
    faults.push({ type: 'pause', process: Number(match[1]), at: Number(match[2]), until });
  }
  for (const item of items(fields.partition)) {
    const match = /^(\d+(?:\+\d+)*)@(\d+)(?:-(\d+))?$/.exec(item);
    if (!match) throw new InputError(`partition '${item}': write PROCESSES@FROM-UNTIL, like 0+1@30-80`);
    const side: Pid[] = match[1]!.split('+').map(Number);
    faults.push({ type: 'partition', side, at: Number(match[2]), until: Number(match[3] ?? Infinity) });
  }
  return faults;
}

const items = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split(',').map((item) => item.trim());

function number(text: string, what: string): number {
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()))
    throw new InputError(`${what} must be a number, not '${text}'`);
  return Number(text);
}

const numbers = (text: string | undefined, what: string): number[] =>
  items(text).map((item) => number(item, what));

function slowLink(item: string) {
  const match = /^(\d+)([-:])(\d+):(\d+)$/.exec(item);
  if (!match)
    throw new InputError(`slow '${item}': write A-B:TICKS, like 0-5:100, or A:B:TICKS from A to B only`);
  const between = [Number(match[1]), Number(match[3])] as const;
  return { between, ticks: Number(match[4]), ...(match[2] === ':' && { oneWay: true }) };
}

function startItem(item: string, what = 'start') {
  const match = /^(\d+)(?:@(\d+))?$/.exec(item);
  if (!match)
    throw new InputError(
      `${what} '${item}': write ${what === 'start' ? 'all, or ' : ''}positions, each with a time if you like: 0,2@50`,
    );
  const process = Number(match[1]);
  return match[2] === undefined ? { process } : { process, at: Number(match[2]) };
}
