// What a snapshot promises, judged by what happened: each event is on one side of the cut, by what its process had recorded.
import type { Message, Pid, World } from '../core/algorithm.ts';
import { messageText, type TraceEvent } from '../core/trace.ts';
import type { Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

/** The cut is consistent, there is one marker on each channel, and who has begun comes to an end. */
export class SnapshotMonitor {
  violation: Violation | null = null; // the first
  readonly #marker: string;
  readonly #channels: number;
  readonly #recorded = new Set<Pid>();
  readonly #complete = new Set<Pid>();
  readonly #n: number;
  readonly #late = new Map<number, Pid>(); // messages sent after their sender had recorded
  readonly #sent = new Map<number, { readonly channel: string; readonly text: string }>(); // messages sent before
  readonly #marked = new Set<string>(); // channels
  #isCompared = false;

  /** `channels`: directed ones, two for a link. */
  constructor(n: number, channels: number, marker: string) {
    this.#n = n;
    this.#channels = channels;
    this.#marker = marker;
  }

  get isOver(): boolean {
    return this.#complete.size === this.#n;
  }

  observe({ process, input, outputs }: TraceEvent): void {
    if (input.kind === 'recv' && !this.#recorded.has(process)) {
      const sender = this.#late.get(input.serial);
      if (sender !== undefined) this.violation ??= inconsistentCut(process, sender);
      this.#sent.delete(input.serial);
    }
    for (const output of outputs) {
      if (output.kind === 'emit' && output.event.type === 'recorded') this.#recorded.add(process);
      if (output.kind === 'emit' && output.event.type === 'complete') this.#complete.add(process);
      if (output.kind !== 'send') continue;
      if (output.message.type !== this.#marker) {
        if (this.#recorded.has(process)) this.#late.set(output.serial, process);
        else
          this.#sent.set(output.serial, {
            channel: `${process} ${output.to}`,
            text: messageText(output.message),
          });
        continue;
      }
      const channel = `${process} ${output.to} ${output.link}`;
      if (this.#marked.has(channel)) this.violation ??= secondMarker(process, output.to);
      this.#marked.add(channel);
    }
  }

  /** What is recorded, once all have their part, is held against what was on its way across the cut. */
  compare(recorded: () => World<unknown, Message> | null): void {
    if (!this.isOver || this.#isCompared) return;
    this.#isCompared = true;
    const world = recorded();
    if (world === null) {
      this.violation ??= tooManyMarkers;
      return;
    }
    const noted = grouped(
      world.inFlight.map(({ from, to, message }) => ({
        channel: `${from} ${to}`,
        text: messageText(message),
      })),
    );
    const there = grouped(this.#sent.values());
    const wrong = [...new Set([...noted.keys(), ...there.keys()])].find(
      (channel) => noted.get(channel)?.join() !== there.get(channel)?.join(),
    );
    if (wrong !== undefined)
      this.violation ??= channelMisrecorded(wrong, there.get(wrong) ?? [], noted.get(wrong) ?? []);
  }

  /** Nothing will happen any more. */
  whenQuiescent(): Violation[] {
    if (this.#recorded.size === 0) return [];
    const left = Array.from({ length: this.#n }, (_, i) => i).filter((i) => !this.#complete.has(i));
    if (left.length > 0) return [incompleteSnapshot(left)];
    return this.#marked.size === this.#channels ? [] : [missingMarkers(this.#marked.size, this.#channels)];
  }
}

/** What is on its way, by channel. Between two that have two links these count as one. */
function grouped(
  messages: Iterable<{ readonly channel: string; readonly text: string }>,
): Map<string, string[]> {
  const channels = new Map<string, string[]>();
  for (const { channel, text } of messages)
    channels.set(channel, [...(channels.get(channel) ?? []), text].sort());
  return channels;
}

// What each property says when it breaks, whichever host finds it.

export const inconsistentCut = (receiver: Pid, sender: Pid): Violation => ({
  property: 'the cut is consistent',
  why: `process ${receiver} has not recorded its state and receives what process ${sender} sent after it had`,
});

export const incompleteSnapshot = (left: readonly Pid[]): Violation => ({
  property: 'the snapshot is completed',
  why: `nothing is left that could tell process ${pidList(left)} what was on its way`,
});

const tooManyMarkers: Violation = {
  property: 'the snapshot is completed',
  why: 'a process gets more markers than it has channels',
};

const channelMisrecorded = (
  channel: string,
  there: readonly string[],
  noted: readonly string[],
): Violation => ({
  property: 'the channels are as they were',
  why: `from ${channel.replace(' ', ' to ')} there was ${there.join(', ') || 'nothing'}, but ${noted.join(', ') || 'nothing'} is recorded`,
});

const oneMarkerEach = 'one marker on each channel';

const secondMarker = (from: Pid, to: Pid): Violation => ({
  property: oneMarkerEach,
  why: `process ${from} sends a second one to ${to}`,
});

const missingMarkers = (sent: number, channels: number): Violation => ({
  property: oneMarkerEach,
  why: `${sent} were sent on ${channels} channels`,
});
