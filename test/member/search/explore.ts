// Breadth-first search of all states of a group. Every state is checked, so the first violation has a shortest run.

import { Group, Model } from './group.ts';
import { eventsOf } from './group-events.ts';
import { type Fault, type Instance, Violation } from './instance.ts';
import { copyOf, decodeWorld, encodeWorld } from './world.ts';

export interface SearchReport {
  readonly states: number;
  readonly transitions: number;
  readonly memberStates: number;
  readonly faults: readonly Fault[]; // that have happened
  readonly done: number; // states in which all living processes have got what they requested
  readonly violation: string | null; // the run, one event per line
}

export interface Transition {
  readonly label: string;
  readonly fault: Fault | undefined;
  readonly mayNeverHappen: boolean;
  readonly text: string;
}

/** Returns what can happen next. Throws a `Violation` with the label of the event if a property does not hold afterwards. */
export function successorsOf(model: Model, text: string): Transition[] {
  const group = new Group(model, decodeWorld(text));
  const found: Transition[] = [];
  for (const { label, fault, mayNeverHappen = false, happens } of eventsOf(group)) {
    const next = new Group(model, copyOf(group.world));
    try {
      if (fault !== undefined) next.world.faults -= 1;
      happens(next);
      next.tidy();
      next.checkExclusion();
      next.checkRetained();
    } catch (error) {
      if (error instanceof Violation) throw new Violation(`${label}\n${error.message}`);
      throw error;
    }
    const after = encodeWorld(next.world);
    if (after !== text) found.push({ label, fault, mayNeverHappen, text: after });
  }
  return found;
}

/** Returns the state in which the search starts. */
export function initialText(model: Model): string {
  const { isInstalled, script = [] } = model.instance;
  const group = new Group(model, model.initial());
  group.tidy();
  let text = encodeWorld(group.world);
  const isSetup = (label: string) => /learns of view|receives from|fires: sync/.test(label);
  for (let isReady = isInstalled !== true; !isReady; ) {
    const next = successorsOf(model, text).find(({ label }) => isSetup(label));
    if (next !== undefined) text = next.text;
    isReady = next === undefined;
  }
  for (const beginning of script) {
    const found = successorsOf(model, text);
    const next = found.find(({ label }) => label.startsWith(beginning));
    if (next === undefined)
      throw new Error(`nothing begins with '${beginning}':\n${found.map(({ label }) => label).join('\n')}`);
    text = next.text;
  }
  return text;
}

/** The states and the transitions between them. */
class StateGraph {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #parents: number[] = [];
  readonly #labels: string[] = [];
  readonly edges: number[] = []; // pairs of states, without faults and what may never happen

  add(text: string, parent: number, label: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    this.#parents.push(parent);
    this.#labels.push(label);
    return number;
  }

  /** The labels of a shortest run to a state. */
  runTo(state: number): string[] {
    const labels: string[] = [];
    for (let at = state; at > 0; at = this.#parents[at]!) labels.unshift(this.#labels[at]!);
    return labels;
  }

  /** Returns a state from which none of the targets can be reached without faults, or null. */
  strandedState(targets: Iterable<number>): number | null {
    const { length } = this.texts;
    const { edges } = this;
    const first = new Int32Array(length + 1); // of each state, in `sources`
    for (let k = 1; k < edges.length; k += 2) first[edges[k]! + 1]! += 1;
    for (let i = 0; i < length; i += 1) first[i + 1]! += first[i]!;
    const sources = new Int32Array(edges.length / 2);
    const filled = first.slice();
    for (let k = 0; k < edges.length; k += 2) {
      const to = edges[k + 1]!;
      sources[filled[to]!] = edges[k]!;
      filled[to]! += 1;
    }
    const isFound = new Uint8Array(length);
    const queue = [...targets];
    for (const target of queue) isFound[target] = 1;
    for (let at = queue.pop(); at !== undefined; at = queue.pop())
      for (let k = first[at]!; k < first[at + 1]!; k += 1) {
        const source = sources[k]!;
        if (isFound[source] === 1) continue;
        isFound[source] = 1;
        queue.push(source);
      }
    const stranded = isFound.indexOf(0);
    return stranded < 0 ? null : stranded;
  }
}

export function search(instance: Instance, model: Model = new Model(instance)): SearchReport {
  const graph = new StateGraph();
  const done: number[] = [];
  const faults = new Set<Fault>();
  let transitions = 0;
  graph.add(initialText(model), -1, '');
  const report = (violation: string | null): SearchReport => ({
    states: graph.texts.length,
    transitions,
    memberStates: model.members.states.length,
    faults: [...faults].sort(),
    done: done.length,
    violation,
  });
  for (let from = 0; from < graph.texts.length; from += 1) {
    const text = graph.texts[from]!;
    try {
      for (const { label, fault, mayNeverHappen, text: after } of successorsOf(model, text)) {
        const to = graph.add(after, from, label);
        transitions += 1;
        if (fault !== undefined) faults.add(fault);
        else if (!mayNeverHappen) graph.edges.push(from, to);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return report([...graph.runTo(from), error.message].join('\n'));
    }
    if (new Group(model, decodeWorld(text)).isDone) done.push(from);
  }
  const stranded = graph.strandedState(done);
  if (stranded === null) return report(null);
  return report([...graph.runTo(stranded), 'from here on, some request is never served'].join('\n'));
}
