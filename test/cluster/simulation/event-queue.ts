interface Entry {
  readonly time: number;
  readonly order: number;
  readonly task: () => void;
}

const isBefore = (a: Entry, b: Entry) => a.time < b.time || (a.time === b.time && a.order < b.order);

/** Events in virtual time, in milliseconds. Events of the same time run in the order of scheduling. */
export class EventQueue {
  now = 0;
  #order = 0;
  readonly #heap: Entry[] = [];

  after(delay: number, task: () => void): void {
    this.#order += 1;
    const entry = { time: this.now + Math.max(0, delay), order: this.#order, task };
    const heap = this.#heap;
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Runs the next event. Returns false if there is none. */
  step(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined) return false;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    this.now = first.time;
    first.task();
    return true;
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, entry)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = entry;
  }
}
