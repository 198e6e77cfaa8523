// One step of one process, written from docs/reference/contract.md alone. It shares no code with src/machine: the checker that this
// folder contradicts runs every algorithm through src/machine.
import type { AnyAlgorithm, Fact, Message, Pid } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import type { Topology } from '../../src/core/topology.ts';

export type Output =
  | { readonly kind: 'send'; readonly link: number; readonly text: string }
  | {
      readonly kind: 'emit';
      readonly event: Message & { readonly leader?: unknown; readonly round?: unknown };
    }
  | { readonly kind: 'after'; readonly type: string; readonly text: string }
  | { readonly kind: 'cancel'; readonly type: string };

/** What a handler did under one outcome of its coins, or how it broke the contract. */
export type Execution =
  | { readonly state: string; readonly outputs: readonly Output[] }
  | { readonly mistake: string };

/** The network and the identities of a run. */
export interface Place {
  readonly algorithm: AnyAlgorithm;
  readonly topology: Topology;
  readonly ids: readonly number[];
  readonly root: Pid;
}

export type Input =
  | { readonly kind: 'begin' }
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'message'; readonly text: string; readonly from: number | undefined };

/** Returns the facts that the algorithm declares, as process i knows them. */
export function factsOf({ algorithm, topology, ids, root }: Place, i: Pid): Record<string, unknown> {
  const isNamed = algorithm.knows.includes('me');
  const links = Array.from({ length: topology.degree(i) }, (_, link) => link);
  const parent = i === root ? null : topology.parents(root)[i]!;
  const all: Partial<Record<Fact, unknown>> = {
    me: i,
    id: ids[i],
    n: topology.n,
    neighbours: isNamed ? topology.neighbours(i) : links,
    root: i === root,
    parent: parent === null || isNamed ? parent : topology.link(i, parent),
  };
  return Object.fromEntries(algorithm.knows.map((fact) => [fact, all[fact]]));
}

/** Returns one execution per outcome of the coins that the handler tosses. */
export function executionsOf(place: Place, i: Pid, state: string, input: Input): Execution[] {
  const executions: Execution[] = [];
  const scripts: number[][] = [[]];
  while (scripts.length > 0) {
    const script = scripts.pop()!;
    const tosses: number[] = [];
    const toss = (options: number): number => {
      if (!Number.isInteger(options) || options < 1) throw new Error(`it chooses among ${options} options`);
      const value = script[tosses.length] ?? 0;
      tosses.push(value);
      if (tosses.length > script.length)
        for (let other = 1; other < options; other += 1) scripts.push([...tosses.slice(0, -1), other]);
      return value;
    };
    executions.push(execute(place, i, state, input, toss));
  }
  return executions;
}

function execute(
  place: Place,
  i: Pid,
  state: string,
  input: Input,
  choose: (options: number) => number,
): Execution {
  const { algorithm, topology } = place;
  const outputs: Output[] = [];
  const typeOf = (message: Message | undefined) => message?.type as string;
  const timerNamed = (type: string) => {
    if (!algorithm.timers?.includes(type)) throw new Error(`'${type}' is not one of its timers`);
    return type;
  };
  const process = {
    ...factsOf(place, i),
    choose,
    send(to: number, message: Message) {
      const link = algorithm.knows.includes('me') ? topology.link(i, to) : to;
      if (!Number.isInteger(link) || link < 0 || link >= topology.degree(i))
        throw new Error(`it sends to ${to}, which is not a neighbour`);
      if (!Object.hasOwn(algorithm.on, typeOf(message)))
        throw new Error(`it sends '${typeOf(message)}', which is not one of its messages`);
      outputs.push({ kind: 'send', link, text: encode(message) });
    },
    emit(event: Message) {
      const expected = algorithm.problem === 'mutex' ? ['entered', 'suspects'] : ['elected', 'electing'];
      if (!expected.includes(typeOf(event))) throw new Error(`it emits '${typeOf(event)}'`);
      encode(event);
      outputs.push({ kind: 'emit', event });
    },
    after(ticks: number, message: Message) {
      if (!Number.isInteger(ticks) || ticks < 1) throw new Error(`it sets a timer of ${ticks} ticks`);
      outputs.push({ kind: 'after', type: timerNamed(typeOf(message)), text: encode(message) });
    },
    cancel(type: string) {
      outputs.push({ kind: 'cancel', type: timerNamed(type) });
    },
  };
  try {
    const s = JSON.parse(state);
    if (input.kind === 'begin') algorithm.begin?.(s, process);
    else if (input.kind === 'call') algorithm.calls[input.name]!(s, process);
    else {
      const message = JSON.parse(input.text) as Message;
      algorithm.on[message.type]!(s, process, message, input.from as number);
    }
    return { state: encode(s), outputs };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}
