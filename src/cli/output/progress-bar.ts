import type { WriteStream } from 'node:tty';

const width = 24;

/** A progress bar with the remaining time, on a terminal only. */
export class ProgressBar {
  readonly #out: WriteStream;
  readonly #all: number;
  readonly #started = performance.now();
  #shown = 0;
  #done = 0;

  /** `all` is the total amount of work, in any unit. */
  constructor(out: WriteStream, all: number) {
    this.#out = out;
    this.#all = all;
    showLine(out, `${barOf(0)} 0 %`); // the first tasks are the longest
  }

  advance(work: number, what: string): void {
    this.#done += work;
    const now = performance.now();
    if (!this.#out.isTTY || now - this.#shown < 100) return;
    this.#shown = now;
    const part = Math.min(1, this.#done / this.#all);
    const left = ((now - this.#started) * (1 - part)) / part;
    const line = `${barOf(part)} ${Math.floor(part * 100)} %, ${duration(left)} left  ${what}`;
    showLine(this.#out, line);
  }

  clear(): void {
    showLine(this.#out, '');
  }
}

/** Replaces the current line of a terminal, cut to its width. Does nothing elsewhere. */
export function showLine(out: WriteStream, line: string): void {
  if (out.isTTY) out.write(`\r${line.slice(0, (out.columns || 80) - 1)}\x1b[K`);
}

const barOf = (part: number): string => '█'.repeat(Math.round(part * width)).padEnd(width, '░');

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
