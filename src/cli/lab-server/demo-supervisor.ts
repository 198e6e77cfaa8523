// Supervises the processes of the demonstration and reports their events to the lab. It kills them when the lab has ended for any reason,
// because a stopped process cannot exit by itself.
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
import { laboratoryFile } from '../laboratory-files.ts';
import { machineClock } from './member-recorder.ts';

export type SupervisorCommand =
  | { readonly do: 'kill' | 'stop' | 'continue'; readonly process: number }
  | { readonly do: 'add' };

const initialProcesses = 5;
const roundMs = 30;
const quietMs = 250; // between updates without events
const settledMs = 40; // usual bound on the delay of reports

const algorithm = process.argv[2] ?? null; // that elects a leader; null: the processes share a lock
const directory = mkdtempSync(join(tmpdir(), 'baton-lab-'));
const worker = laboratoryFile('demo-process.js');
const began = machineClock();
const now = () => machineClock() - began;
const log = new LiveTraceBuilder();
const children: ChildProcess[] = [];
let isEnding = false;

function begin(slot: number): void {
  const child = fork(worker, [`${slot}`, ...(algorithm === null ? [] : [algorithm])], {
    env: { ...process.env, BATON_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children[slot] = child;
  log.addLifecycleEvent(slot, 'born', now(), child.pid);
  child.on('message', (report: ProcessReport) => log.addReport(slot, { ...report, at: report.at - began }));
  child.once('exit', () => {
    log.addLifecycleEvent(slot, 'died', now());
    if (isEnding) end();
  });
}

const isDead = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function add(): void {
  const dead = children.findIndex(isDead);
  const slot = dead < 0 ? children.length : dead;
  if (slot < maxDemoProcesses) begin(slot);
}

const signals = { kill: 'SIGKILL', stop: 'SIGSTOP', continue: 'SIGCONT' } as const;
const eventNames = { kill: null, stop: 'stopped', continue: 'continued' } as const; // a killed process exits

function execute(command: SupervisorCommand): void {
  if (command.do === 'add') {
    add();
    return;
  }
  const child = children[command.process];
  if (child === undefined || isDead(child) || !child.kill(signals[command.do])) return;
  const event = eventNames[command.do];
  if (event !== null) log.addLifecycleEvent(command.process, event, now());
}

/** Kills all processes, then removes their directory. */
function end(): void {
  isEnding = true;
  const alive = children.filter((child) => !isDead(child));
  for (const child of alive) child.kill('SIGKILL');
  if (alive.length > 0) return; // called again when each of them exits
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

process.on('message', execute);
process.once('disconnect', end);
process.on('SIGINT', () => {}); // from a terminal: the lab ends, then this process
process.once('SIGTERM', end);

if (process.connected) for (let slot = 0; slot < initialProcesses; slot += 1) begin(slot);
else end(); // the lab has already ended

let lastUpdate = { at: 0, seats: '' };
setInterval(() => {
  const at = now();
  log.settle(at - settledMs);
  const events = log.takeEvents();
  const { seats, epoch, takeover } = log;
  const seatsText = JSON.stringify(seats);
  if (isEnding || (events.length === 0 && seatsText === lastUpdate.seats && at < lastUpdate.at + quietMs))
    return;
  lastUpdate = { at, seats: seatsText };
  const perSecond = log.perSecond(at);
  const update: Demonstration = {
    isFresh: false,
    isRunning: true,
    algorithm,
    now: at,
    seats,
    epoch,
    perSecond,
    takeover,
    events,
  };
  if (process.connected) process.send!(update, () => {}); // `disconnect` reports the end of the lab
}, roundMs);
