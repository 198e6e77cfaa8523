import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'vitest';
import type { Runtime } from '../../scripts/runtimes.js';
import type { EmptyFolder } from './empty-folder.ts';

const timeout = 30_000;

/** A process of one runtime that runs group-member.mjs with the package in a folder. */
export class RuntimeMember {
  readonly name: string;
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly ended: Promise<number | string | null>;

  constructor(runtime: Runtime, folder: EmptyFolder, group: string, options: object, data: string) {
    this.name = runtime.name;
    const args = [...runtime.run, 'group-member.mjs', group, JSON.stringify(options), data];
    this.child = spawn(runtime.command, args, { cwd: folder.path, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdin!.on('error', () => {}); // the process was killed
    let rest = '';
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop()!;
      this.lines.push(...parts);
    });
    this.ended = new Promise((resolve) => this.child.on('exit', (code, signal) => resolve(signal ?? code)));
  }

  do(command: string): void {
    this.child.stdin!.write(`${command}\n`);
  }

  /** Waits for a line that begins with a word, after the first `from` lines. Returns what follows the word. */
  async says(word: string, from = 0): Promise<string> {
    const found = () => this.lines.slice(from).find((line) => line.startsWith(`${word} `));
    await expect
      .poll(() => found() ?? `${this.name} says ${JSON.stringify(this.lines)}`, { timeout, interval: 5 })
      .toMatch(new RegExp(`^${word} `));
    return found()!.slice(word.length + 1);
  }

  async asked(command: string, word = command): Promise<string> {
    const from = this.lines.length;
    this.do(command);
    return this.says(word, from);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Leaves, and expects that the process ends by itself. */
  async leave(): Promise<void> {
    this.do('leave');
    expect([this.name, await this.ended]).toEqual([this.name, 0]);
  }
}
