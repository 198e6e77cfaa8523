// Checks a snapshot against the run: an event is before the cut if its process had not yet recorded its state.
import type { Message, Pid, World } from '../core/algorithm.ts';
import { messageText, type TraceEvent } from '../core/trace.ts';
import type { Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

/** A snapshot: the cut is consistent, each channel carries one marker, and a snapshot that begins is completed. */
export class SnapshotMonitor {
  violation: Violation | null = null; // the first one
  readonly #marker: string;
  readonly #channels: number;
  readonly #recorded = new Set<Pid>();
  readonly #complete = new Set<Pid>();
  readonly #n: number;
  readonly #late = new Map<number, Pid>(); // messages sent after their sender had recorded
  readonly #sent = new Map<number, { readonly channel: string; readonly text: string }>(); // messages sent before
  readonly #marked = new Set<string>(); // channels
  #isCompared = false;

  /** `channels` counts directed channels, two for each link. */
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

  /** Compares the recorded channels, once complete, with the messages that crossed the cut. */
  compare(recorded: () => World<unknown, Message> | null): void {
    if (!this.isOver || this.#isCompared) return;
    this.#isCompared = true;
    const world = recorded();
    if (world === null) {
      this.violation ??= tooManyMarkers;
      return;
    }
    const recordedChannels = grouped(
      world.inFlight.map(({ from, to, message }) => ({
        channel: `${from} ${to}`,
        text: messageText(message),
      })),
    );
    const actualChannels = grouped(this.#sent.values());
    const wrong = [...new Set([...recordedChannels.keys(), ...actualChannels.keys()])].find(
      (channel) => recordedChannels.get(channel)?.join() !== actualChannels.get(channel)?.join(),
    );
    if (wrong !== undefined)
      this.violation ??= channelMisrecorded(
        wrong,
        actualChannels.get(wrong) ?? [],
        recordedChannels.get(wrong) ?? [],
      );
  }

  /** The violations when no event is left. */
  whenQuiescent(): Violation[] {
    if (this.#recorded.size === 0) return [];
    const left = Array.from({ length: this.#n }, (_, i) => i).filter((i) => !this.#complete.has(i));
    if (left.length > 0) return [incompleteSnapshot(left)];
    return this.#marked.size === this.#channels ? [] : [missingMarkers(this.#marked.size, this.#channels)];
  }
}

/** The messages of each channel, sorted. Two links between the same processes count as one channel. */
function grouped(
  messages: Iterable<{ readonly channel: string; readonly text: string }>,
): Map<string, string[]> {
  const channels = new Map<string, string[]>();
  for (const { channel, text } of messages)
    channels.set(channel, [...(channels.get(channel) ?? []), text].sort());
  return channels;
}

// The violations of each property, the same for every host.

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
  actual: readonly string[],
  recorded: readonly string[],
): Violation => ({
  property: 'the channels are as they were',
  why: `from ${channel.replace(' ', ' to ')} there was ${actual.join(', ') || 'nothing'}, but ${recorded.join(', ') || 'nothing'} is recorded`,
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
