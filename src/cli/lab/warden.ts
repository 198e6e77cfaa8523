// Keeps the processes of the demonstration, and tells the lab what they do. When the lab is gone, however it went, so are they: a process
// that is stopped could not see to that itself.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demonstration, mostSeats, type Report, Story } from '../../live/index.ts';
import { clock } from './recorder.ts';

export type Order =
  | { readonly do: 'kill' | 'stop' | 'continue'; readonly process: number }
  | { readonly do: 'add' };

const first = 5; // processes
const roundMs = 30;
const quietMs = 250; // how long nothing is told when nothing happens
const settledMs = 40; // reports are not later than that, as a rule

const directory = mkdtempSync(join(tmpdir(), 'baton-lab-'));
const worker = new URL('./worker.js', import.meta.url);
const began = clock();
const now = () => clock() - began;
const story = new Story();
const children: ChildProcess[] = [];
let isEnding = false;

function begin(seat: number): void {
  const child = fork(worker, {
    env: { ...process.env, BATON_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children[seat] = child;
  story.befell(seat, 'born', now(), child.pid);
  child.on('message', (report: Report) => story.told(seat, { ...report, at: report.at - began }));
  child.once('exit', () => {
    story.befell(seat, 'died', now());
    if (isEnding) end();
  });
}

const isDead = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function add(): void {
  const dead = children.findIndex(isDead);
  const seat = dead < 0 ? children.length : dead;
  if (seat < mostSeats) begin(seat);
}

const signals = { kill: 'SIGKILL', stop: 'SIGSTOP', continue: 'SIGCONT' } as const;
const fates = { kill: null, stop: 'stopped', continue: 'continued' } as const; // who is killed exits

function obey(order: Order): void {
  if (order.do === 'add') {
    add();
    return;
  }
  const child = children[order.process];
  if (child === undefined || isDead(child) || !child.kill(signals[order.do])) return;
  const fate = fates[order.do];
  if (fate !== null) story.befell(order.process, fate, now());
}

/** Everybody at once; and then what they leave. */
function end(): void {
  isEnding = true;
  const alive = children.filter((child) => !isDead(child));
  for (const child of alive) child.kill('SIGKILL');
  if (alive.length > 0) return; // until the last of them has exited
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

process.on('message', obey);
process.once('disconnect', end);
process.on('SIGINT', () => {}); // of a terminal: the lab ends, and then this does
process.once('SIGTERM', end);

if (process.connected) for (let seat = 0; seat < first; seat += 1) begin(seat);
else end(); // gone already

let told = { at: 0, seats: '' };
setInterval(() => {
  const at = now();
  story.settle(at - settledMs);
  const events = story.take();
  const { seats, epoch, takeover } = story;
  const text = JSON.stringify(seats);
  if (isEnding || (events.length === 0 && text === told.seats && at < told.at + quietMs)) return;
  told = { at, seats: text };
  const perSecond = story.perSecond(at);
  const update: Demonstration = {
    isFresh: false,
    isRunning: true,
    now: at,
    seats,
    epoch,
    perSecond,
    takeover,
    events,
  };
  if (process.connected) process.send!(update, () => {}); // that the lab is gone is told by `disconnect`
}, roundMs);
