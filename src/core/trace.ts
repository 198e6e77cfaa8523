// A trace has one line per event, in order. Every host writes it; replay, diagrams and golden tests read it.
//
//   baton trace 1
//   algorithm chang-roberts          the scenario, one field per line
//   ids 2,3,1
//   ---
//   0 2 call start => #0 to 0 election(id=1)
//   4 0 recv #0 election(id=1) from 2
//   end 2 events, 1 messages: ok
//
// An event has a time, a process, an input, and after `=>` the outputs of the handler, in order. Messages are numbered in
// the order of sending. Processes are positions. If the scenario has `stamps vector-clock`, every event has a stamp of that
// clock between process and input: `4 0 @{0:1,2:1} recv ..`.

import type { Message, Pid } from './algorithm.ts';
import { InputError } from './assert.ts';
import { encode } from './plain-data.ts';

const title = 'baton trace 1';

/** What happened to a process: a call of the application, a receipt, a timer, a step on shared memory, or a fault. */
export type TraceInput =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'recv'; readonly serial: number; readonly message: Message; readonly from: Pid }
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'step'; readonly line: string } // of a program on shared memory
  | { readonly kind: 'lose' | 'repeat'; readonly serial: number } // by the network, at the receiver
  | { readonly kind: 'appears' | 'goes'; readonly link: Pid } // the link to that process
  | { readonly kind: (typeof bareInputs)[number] };

const bareInputs = ['begin', 'crash', 'restart', 'pause', 'resume', 'corrupt'] as const;

/** What a handler did. */
export type TraceOutput =
  | {
      readonly kind: 'send';
      readonly serial: number;
      readonly to: Pid;
      readonly link: number | null;
      readonly message: Message;
    }
  | { readonly kind: 'emit'; readonly event: Message }
  | { readonly kind: 'after'; readonly ticks: number; readonly message: Message }
  | { readonly kind: 'cancel'; readonly type: string }
  | { readonly kind: 'coin'; readonly value: number; readonly options: number }
  | { readonly kind: 'clock'; readonly time: number } // a reading
  | { readonly kind: 'read' | 'write' | 'reset'; readonly register: string; readonly value: number }
  | { readonly kind: 'fail'; readonly why: string }; // the handler threw; the run ends here

/** One line of a trace: what happens at one process at one moment. */
export interface TraceEvent {
  /** The simulated time. */
  readonly time: number;
  /** The position of the process. */
  readonly process: Pid;
  /** What happened to the process. */
  readonly input: TraceInput;
  /** What its handler did, in order. */
  readonly outputs: readonly TraceOutput[];
  /** The stamp of the logical clock that the scenario names. Absent if it names none. */
  readonly stamp?: string;
}

/** A run, written down. See [the format](docs/reference/trace.md). */
export interface Trace {
  /** The fields of the scenario, by name. */
  readonly scenario: Readonly<Record<string, string>>;
  /** The events, in order. */
  readonly events: readonly TraceEvent[];
  /** The line number of the first event, for error messages. */
  readonly firstLine: number;
  /** `ok`, or the violated property and why. */
  readonly verdict: string;
}

/** The trace of a run. Its events have the line numbers that `traceText` gives them. */
export const traceOf = (scenario: Trace['scenario'], events: Trace['events'], verdict: string): Trace => ({
  scenario,
  events,
  firstLine: Object.keys(scenario).length + 3,
  verdict,
});

/**
 * Returns a message as a trace writes it. Strings are quoted, with the separators of a trace escaped.
 *
 * @example
 * import { messageText } from 'batonjs/core';
 *
 * const message = { type: 'election', id: 3 };
 * messageText(message); // → 'election(id=3)'
 */
export function messageText(message: Message): string {
  const fields = Object.entries(message).filter(([key]) => key !== 'type');
  const type = nameText(message.type);
  if (fields.length === 0) return type;
  return `${type}(${fields.map(([key, value]) => `${nameText(key)}=${escaped(encode(value))}`).join(',')})`;
}

const nameText = (text: string): string => (/^[\w'-]+$/.test(text) ? text : quoted(text));

const quoted = (text: string): string => escaped(JSON.stringify(text));

/** Escapes the separators of a trace and line breaks. Only strings contain them, so the JSON keeps its meaning. */
const escaped = (json: string): string =>
  json.replace(/[;>\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const quotedText = '"(?:[^"\\\\]|\\\\.)*"';
const wholeMessage = new RegExp(`^([\\w'-]+|${quotedText})(?:\\((.*)\\))?$`);
const namesAndTexts = new RegExp(`${quotedText}|([\\w'-]*)=`, 'g'); // `=` occurs only after the name of a field

/** Parses the text of `messageText`; null if it is not a message. The fields are JSON once each name is quoted and followed by a colon. */
export function parseMessage(text = ''): Message | null {
  const [, type, fields = ''] = wholeMessage.exec(text) ?? [];
  if (type === undefined) return null;
  const json = fields.replace(namesAndTexts, (part, name?: string) =>
    name === undefined ? part : name === '' ? ':' : `"${name}":`,
  );
  try {
    const parsed = JSON.parse(`{${json}}`) as object;
    const message = { type: type.startsWith('"') ? (JSON.parse(type) as string) : type, ...parsed };
    return 'type' in parsed ? null : message;
  } catch {
    return null;
  }
}

export function inputText(input: TraceInput): string {
  switch (input.kind) {
    case 'call':
      return `call ${input.name}`;
    case 'recv':
      return `recv #${input.serial} ${messageText(input.message)} from ${input.from}`;
    case 'timer':
      return `timer ${messageText(input.message)}`;
    case 'step':
      return `step ${input.line}`;
    case 'lose':
    case 'repeat':
      return `${input.kind} #${input.serial}`;
    case 'appears':
    case 'goes':
      return `${input.kind} link to ${input.link}`;
    default:
      return input.kind;
  }
}

export function outputText(output: TraceOutput): string {
  switch (output.kind) {
    case 'send': {
      const link = output.link === null ? '' : `/${output.link}`;
      return `#${output.serial} to ${output.to}${link} ${messageText(output.message)}`;
    }
    case 'emit':
      return `emit ${messageText(output.event)}`;
    case 'after':
      return `after ${output.ticks} ${messageText(output.message)}`;
    case 'cancel':
      return `cancel ${output.type}`;
    case 'coin':
      return `coin ${output.value} of ${output.options}`;
    case 'clock':
      return `clock ${output.time}`;
    case 'read':
    case 'write':
    case 'reset':
      return `${output.kind} ${output.register} = ${output.value}`;
    case 'fail':
      return `fail ${quoted(output.why)}`;
  }
}

/** The outputs as they follow `=>`. */
export const outputsText = (outputs: readonly TraceOutput[]): string => outputs.map(outputText).join('; ');

/**
 * Returns the line of an event in a trace.
 *
 * @example
 * import { eventLine } from 'batonjs/core';
 *
 * eventLine({ time: 4, process: 0, input: { kind: 'crash' }, outputs: [] }); // → '4 0 crash'
 */
export const eventLine = (event: TraceEvent): string =>
  `${event.time} ${event.process} ${event.stamp === undefined ? '' : `@${event.stamp} `}${eventText(event)}`;

/** The input and the outputs of an event, without time, process and stamp. */
export function eventText({ input, outputs }: TraceEvent): string {
  return `${inputText(input)}${outputs.length === 0 ? '' : ` => ${outputsText(outputs)}`}`;
}

export const failure = (error: unknown): TraceOutput => ({
  kind: 'fail',
  why: error instanceof Error ? error.message : String(error),
});

/** Writes a trace line by line, so that a long one need not be in memory. */
export class TraceWriter {
  readonly #write: (line: string) => void;
  #events = 0;
  #messages = 0;

  constructor(write: (line: string) => void, scenario: Readonly<Record<string, string>>) {
    this.#write = write;
    write(title);
    for (const [key, value] of Object.entries(scenario)) write(`${key} ${value}`);
    write('---');
  }

  event(event: TraceEvent): void {
    this.#events += 1;
    for (const output of event.outputs) if (output.kind === 'send') this.#messages += 1;
    this.#write(eventLine(event));
  }

  end(verdict: string): void {
    this.#write(`end ${this.#events} events, ${this.#messages} messages: ${verdict}`);
  }
}

/**
 * Returns a trace as text. {@link parseTrace} reads it.
 *
 * @example
 * import { traceText } from 'batonjs/core';
 *
 * const trace = { scenario: { algorithm: 'raymond' }, events: [], verdict: 'ok' };
 * traceText(trace).split('\n')[1]; // → 'algorithm raymond'
 */
export function traceText({ scenario, events, verdict }: Omit<Trace, 'firstLine'>): string {
  const lines: string[] = [];
  const writer = new TraceWriter((line) => lines.push(line), scenario);
  for (const event of events) writer.event(event);
  writer.end(verdict);
  return `${lines.join('\n')}\n`;
}

/**
 * Parses a trace. Lines that begin with `#` before the scenario are comments.
 *
 * @param name the name of the file, for error messages. Defaults to "the trace".
 * @throws {InputError} when the text is not a trace, or is cut off.
 *
 * @example
 * import { parseTrace } from 'batonjs/core';
 *
 * const trace = parseTrace('baton trace 1\nalgorithm raymond\n---\n5 1 call request\nend 1 events, 0 messages: ok\n');
 * trace.events[0]?.input; // → { kind: 'call', name: 'request' }
 */
export function parseTrace(text: string, name = 'the trace'): Trace {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const start = lines.findIndex((line) => line !== '' && !line.startsWith('#'));
  if (lines[start] !== title)
    throw new InputError(`${name} is not a baton trace: it does not begin with '${title}'`);
  const rule = lines.indexOf('---', start);
  if (rule < 0) throw new InputError(`${name} is cut off: the line --- that ends its scenario is missing`);
  const scenario: Record<string, string> = {};
  for (const line of lines.slice(start + 1, rule)) {
    const space = line.indexOf(' ');
    if (space > 0) scenario[line.slice(0, space)] = line.slice(space + 1);
  }
  const events: TraceEvent[] = [];
  for (let i = rule + 1; i < lines.length; i += 1) {
    const line = lines[i]!;
    const end = /^end (\d+) events, (\d+) messages: (.*)$/.exec(line);
    if (end && i < lines.length - 1) {
      const sent = events.flatMap(({ outputs }) => outputs).filter(({ kind }) => kind === 'send').length;
      if (Number(end[1]) !== events.length || Number(end[2]) !== sent)
        throw new InputError(
          `${name} has ${events.length} events and ${sent} messages, not as many as its last line says`,
        );
      if (lines.slice(i + 1).some((after) => after !== ''))
        throw new InputError(`${name} goes on after its end`);
      return { scenario, events, firstLine: rule + 2, verdict: end[3]! };
    }
    const event = parseEvent(line);
    if (event === null && i < lines.length - 1) {
      throw new InputError(`${name}, line ${i + 1}: '${line}' is not an event of a trace`);
    }
    if (event !== null) events.push(event);
  }
  throw new InputError(`${name} is cut off after ${events.length} events: its last line, end .., is missing`);
}

function parseEvent(line: string): TraceEvent | null {
  const match = /^(\d+) (\d+) (?:@(\S+) )?(.*?)(?: => (.*))?$/.exec(line);
  if (!match) return null;
  const [, time, process, stamp, inputPart, outputsPart] = match;
  const input = parseInput(inputPart!);
  const outputs = outputsPart === undefined ? [] : outputsPart.split('; ').map(parseOutput);
  if (input === null || outputs.includes(null)) return null;
  const event = { time: Number(time), process: Number(process), input, outputs: outputs as TraceOutput[] };
  return stamp === undefined ? event : { ...event, stamp };
}

function parseInput(text: string): TraceInput | null {
  const [, kind, rest = ''] = /^(\w+)(?: (.*))?$/.exec(text) ?? [];
  switch (kind) {
    case 'call':
      return { kind, name: rest };
    case 'recv': {
      const [, serial, sent, from] = /^#(\d+) (.*) from (\d+)$/.exec(rest) ?? [];
      const message = parseMessage(sent);
      return message && { kind, serial: Number(serial), message, from: Number(from) };
    }
    case 'timer': {
      const message = parseMessage(rest);
      return message && { kind, message };
    }
    case 'step':
      return { kind, line: rest };
    case 'lose':
    case 'repeat':
      return /^#\d+$/.test(rest) ? { kind, serial: Number(rest.slice(1)) } : null;
    case 'appears':
    case 'goes': {
      const match = /^link to (\d+)$/.exec(rest);
      return match && { kind, link: Number(match[1]) };
    }
    default: {
      const found = bareInputs.find((one) => one === text);
      return found ? { kind: found } : null;
    }
  }
}

function parseOutput(text: string): TraceOutput | null {
  const send = /^#(\d+) to (\d+)(?:\/(\d+))? (.*)$/.exec(text);
  const after = /^after (\S+) (.*)$/.exec(text);
  const message = parseMessage(send?.[4] ?? after?.[2]);
  if (send && message) {
    const link = send[3] === undefined ? null : Number(send[3]);
    return { kind: 'send', serial: Number(send[1]), to: Number(send[2]), link, message };
  }
  if (after && message) return { kind: 'after', ticks: Number(after[1]), message };
  const coin = /^coin (\d+) of (\d+)$/.exec(text);
  if (coin) return { kind: 'coin', value: Number(coin[1]), options: Number(coin[2]) };
  const clock = /^clock (-?\d+)$/.exec(text);
  if (clock) return { kind: 'clock', time: Number(clock[1]) };
  const access = /^(read|write|reset) (\S+) = (-?\d+)$/.exec(text);
  if (access) {
    const kind = access[1] as 'read' | 'write' | 'reset';
    return { kind, register: access[2]!, value: Number(access[3]) };
  }
  if (text.startsWith('cancel ')) return { kind: 'cancel', type: text.slice(7) };
  const rest = /^(emit|fail) (.*)$/.exec(text);
  const event = parseMessage(rest?.[2]);
  if (event === null) return null;
  return rest![1] === 'emit' ? { kind: 'emit', event } : { kind: 'fail', why: event.type }; // `why` is quoted like a type
}
