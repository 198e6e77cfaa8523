import { type Message, type Pid, type Problem, type Problems, tick } from '../../core/algorithm.ts';
import { messageText, type TraceEvent, type TraceOutput } from '../../core/trace.ts';
import type { ProcessPhase } from '../../diagram/index.ts';
import type { ScheduledIntervention } from '../../timeline/index.ts';

/** How sentences name processes, messages and leaders. */
export interface EventNames {
  process(i: Pid): string;
  message(message: Message): string;
  leader(leader: number): string; // a position, or an id where processes have ids
}

/** The names that a trace uses, except for processes. */
export const traceNames: EventNames = {
  process: (i) => `p${i}`,
  message: messageText,
  leader: (leader) => `${leader}`,
};

/** Describes an event in a sentence. */
export function eventSentence({ process, input, outputs }: TraceEvent, names: EventNames): string {
  const actor = names.process(process);
  const actions = outputTexts(outputs, names);
  if (input.kind === 'step') return `${actor} ${actions.join(', ')}, at “${input.line}”.`;
  return `${actor} ${inputText(input, names)}${actions.length > 0 ? `: ${actions.join(', ')}` : ''}.`;
}

const callTexts: Readonly<Record<string, string>> = {
  request: 'asks for the lock',
  release: 'leaves',
  start: 'starts the election',
  synchronise: 'wants its clock synchronised',
  snapshot: 'begins a snapshot',
};

function inputText(
  input: Exclude<TraceEvent['input'], { kind: 'step' }>,
  { process: name, message: textOf }: EventNames,
): string {
  switch (input.kind) {
    case 'call':
      return callTexts[input.name] ?? input.name;
    case 'recv':
      return `receives ${textOf(input.message)} from ${name(input.from)}`;
    case 'timer':
      return `has its timer ${textOf(input.message)} end`;
    case 'lose':
      return `never gets message #${input.serial}`;
    case 'repeat':
      return `gets message #${input.serial} again`;
    case 'appears':
      return `has its link to ${name(input.link)} back`;
    case 'goes':
      return `loses its link to ${name(input.link)}`;
    default:
      return {
        begin: 'begins',
        crash: 'crashes',
        restart: 'restarts',
        pause: 'pauses',
        resume: 'goes on',
        corrupt: 'is corrupted',
      }[input.kind];
  }
}

export function outputTexts(outputs: readonly TraceOutput[], names: EventNames): string[] {
  const sends = new Map<string, string[]>();
  const others: string[] = [];
  const reads = outputs.flatMap((one) => (one.kind === 'read' ? [`${one.value} from ${one.register}`] : []));
  if (reads.length > 0) others.push(`reads ${reads.join(', ')}`);
  for (const output of outputs) {
    if (output.kind === 'send') {
      const message = names.message(output.message);
      sends.set(message, [...(sends.get(message) ?? []), names.process(output.to)]);
    } else if (output.kind === 'emit') others.push(emittedText(output.event, names));
    else if (output.kind === 'after')
      others.push(`sets timer ${names.message(output.message)} to ${output.ticks}`);
    else if (output.kind === 'coin') others.push(`tosses ${output.value}`);
    else if (output.kind === 'write') others.push(`writes ${output.value} to ${output.register}`);
    else if (output.kind === 'reset') others.push(`${output.register} becomes ${output.value}`);
    else if (output.kind === 'fail') others.push(`fails, ${JSON.stringify(output.why)}`);
  }
  const sendTexts = [...sends].map(
    ([message, to]) => `sends ${message} to ${to.length > 4 ? `${to.length} others` : to.join(', ')}`,
  );
  return [...others.slice(0, 3), ...sendTexts];
}

const emittedTexts: Readonly<Record<string, string>> = {
  entered: 'enters',
  suspects: 'suspects the process that it waits for',
  recorded: 'records its state',
  complete: 'has its part of the snapshot',
};

function emittedText(message: Message, names: EventNames): string {
  const event = message as Problems[Problem]['event'];
  if (event.type === 'adjust')
    return `is to add ${milliseconds(event.offset)} to its clock, give or take ${milliseconds(event.within)}`;
  if (event.type === 'electing') return `takes part in round ${event.round}`;
  if (event.type !== 'elected') return emittedTexts[message.type] ?? messageText(message);
  const { leader } = event;
  return leader === 'me'
    ? 'leads'
    : leader === 'another'
      ? 'follows another'
      : `has leader ${names.leader(leader)}`;
}

/** Formats nanoseconds as milliseconds, with a typographic minus sign. */
export const signedMilliseconds = (time: number, digits = 1): string => {
  const text = Math.abs(time / tick).toFixed(digits);
  return Number(text) === 0 ? text : `${time < 0 ? '−' : '+'}${text}`;
};

const milliseconds = (time: number): string => `${signedMilliseconds(time).replace('+', '')} ms`;

export const phaseNames: Readonly<Record<ProcessPhase, string>> = {
  idle: 'idle',
  waiting: 'waiting',
  inside: 'inside',
  leader: 'leader',
  follower: 'follower',
  crashed: 'crashed',
};

export function interventionText(one: ScheduledIntervention): string {
  if ('between' in one) return `${one.do} link ${one.between.join('–')}`;
  if ('process' in one)
    return one.do === 'ask'
      ? `process ${one.process} asks`
      : one.do === 'step'
        ? `process ${one.process} steps`
        : `${one.do} process ${one.process}`;
  return one.do === 'delay' ? `delay #${one.message} by ${one.ticks}` : `${one.do} #${one.message}`;
}
