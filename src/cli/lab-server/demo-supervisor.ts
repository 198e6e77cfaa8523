// Keeps the processes of the demonstration, and tells the lab what they do. When the lab is gone, however it went, so are they: a process
// that is stopped could not see to that itself.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Demonstration,
  LiveTraceBuilder,
  maxDemoProcesses,
  type ProcessReport,
} from '../../live/index.ts';
import { machineClock } from './member-recorder.ts';

export type SupervisorCommand =
  | { readonly do: 'kill' | 'stop' | 'continue'; readonly process: number }
  | { readonly do: 'add' };

const first = 5; // processes
const roundMs = 30;
const quietMs = 250; // how long nothing is told when nothing happens
const settledMs = 40; // reports are not later than that, as a rule

const directory = mkdtempSync(join(tmpdir(), 'baton-lab-'));
const worker = new URL('./demo-process.js', import.meta.url);
const began = machineClock();
const now = () => machineClock() - began;
const log = new LiveTraceBuilder();
const children: ChildProcess[] = [];
let isEnding = false;

function begin(seat: number): void {
  const child = fork(worker, {
    env: { ...process.env, BATON_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children[seat] = child;
  log.addLifecycleEvent(seat, 'born', now(), child.pid);
  child.on('message', (report: ProcessReport) => log.addReport(seat, { ...report, at: report.at - began }));
  child.once('exit', () => {
    log.addLifecycleEvent(seat, 'died', now());
    if (isEnding) end();
  });
}

const isDead = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function add(): void {
  const dead = children.findIndex(isDead);
  const seat = dead < 0 ? children.length : dead;
  if (seat < maxDemoProcesses) begin(seat);
}

const signals = { kill: 'SIGKILL', stop: 'SIGSTOP', continue: 'SIGCONT' } as const;
const eventNames = { kill: null, stop: 'stopped', continue: 'continued' } as const; // who is killed exits

function execute(order: SupervisorCommand): void {
  if (order.do === 'add') {
    add();
    return;
  }
  const child = children[order.process];
  if (child === undefined || isDead(child) || !child.kill(signals[order.do])) return;
  const fate = eventNames[order.do];
  if (fate !== null) log.addLifecycleEvent(order.process, fate, now());
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

process.on('message', execute);
process.once('disconnect', end);
process.on('SIGINT', () => {}); // of a terminal: the lab ends, and then this does
process.once('SIGTERM', end);

if (process.connected) for (let seat = 0; seat < first; seat += 1) begin(seat);
else end(); // gone already

let told = { at: 0, seats: '' };
setInterval(() => {
  const at = now();
  log.settle(at - settledMs);
  const events = log.takeEvents();
  const { seats, epoch, takeover } = log;
  const text = JSON.stringify(seats);
  if (isEnding || (events.length === 0 && text === told.seats && at < told.at + quietMs)) return;
  told = { at, seats: text };
  const perSecond = log.perSecond(at);
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
