#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InputError } from '../core/assert.ts';
import { connectionHelp, defaultGroup } from './input/connection-flags.ts';

// In the package, this file is dist/cli.cjs.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Exit codes: 0 success, 1 a property is violated, 2 wrong usage, 75 the engine is unavailable, 76 a lock is lost. */
let exitCode = 0;
const tryLater = 75; // as in sysexits.h

const baton = new Command('baton')
  .description(
    'Mutual exclusion and leader election: locks and leaders between processes, and every classical algorithm, simulated, counted and checked.',
  )
  .version(version)
  .showSuggestionAfterError()
  .exitOverride()
  .addHelpText(
    'after',
    `
Begin with:
  $ baton exec --lock nightly -- ./report.sh      one at a time, whoever asks
  $ baton list                                    what there is
  $ baton simulate chang-roberts --n 5 --diagram  one election, drawn
  $ baton simulate lamport --channels unordered --n 2 --seed 5   what breaks without FIFO
  $ baton check ricart-agrawala                   every interleaving of three processes
  $ baton check ./mine.ts                         of an algorithm of your own
  $ baton measure chang-roberts                   messages, times, sizes and load against its formulas
  $ baton lab                                     a page to watch and to interfere with runs`,
  );

const command = (usage: string, description: string): Command =>
  baton.command(usage).description(description).option('--json', 'one JSON document on stdout, nothing else');

/** Adds the options of commands that join or inspect a group. */
const ofGroup = (command: Command): Command =>
  command
    .option('--engine <url>', 'where the group agrees on its members, if on many machines')
    .option('--listen <address>', 'where its other members reach this process: host:port')
    .option('--unsafe', 'accept an engine that may forget what it has acknowledged')
    .addHelpText('after', connectionHelp);

/** Adds the options of commands that join a group. */
const joinsGroup = (command: Command): Command =>
  ofGroup(command).option(
    '--local',
    'in Kubernetes, without an engine: a group of this pod alone; or BATON_LOCAL=1',
  );

// Each command loads only the modules that it needs.

joinsGroup(baton.command('exec <command...>'))
  .description('runs a command while holding a lock: one at a time, whoever asks')
  .requiredOption('--lock <name>', 'which lock')
  .option('--group <name>', 'the group of processes', defaultGroup)
  .option('--try', 'do not wait: exit with 75 if somebody else holds it')
  .option('--timeout <ms>', 'wait so long, then exit with 75')
  .addHelpText(
    'after',
    `
The exit code is that of the command; 75 if the lock was not got, 76 if it was lost while the command ran, which is then ended by SIGTERM, and
SIGKILL. BATON_FENCE is a number larger than that of every earlier holder.

  $ baton exec --lock nightly -- ./report.sh`,
  )
  .action(async (words, options) => {
    const { execCommand } = await import('./commands/exec.ts');
    exitCode = await execCommand(words, options);
  });

joinsGroup(baton.command('lead <name> <command...>'))
  .description('runs a command while leading, again after every term won')
  .option('--group <name>', 'the group of processes', defaultGroup)
  .option(
    '--algorithm <name>',
    'the election algorithm that chooses the leader, the same in every process (default: none)',
  )
  .action(async (name, words, options) => {
    const { leadCommand } = await import('./commands/lead.ts');
    exitCode = await leadCommand(name, words, options);
  });

ofGroup(
  command('status', 'the groups on this machine, or one elsewhere: members, who holds, who waits, who leads'),
)
  .option('--group <name>', 'only this one')
  .option(
    '--consistent',
    'by a snapshot: all of one moment at which it could have been so; who holds, or where the token is',
  )
  .action(async (options) => {
    const { statusCommand } = await import('./commands/status.ts');
    exitCode = await statusCommand(options);
  });

/** The exit codes of BatonErrors. All others stand for a circumstance, and a later attempt may succeed. */
const exitCodes: Readonly<Record<string, number>> = { input: 2, conflict: 2, lost: 76 };

/** Whether an error is a BatonError. Compares names, so that other commands do not load the cluster. */
const isOfCluster = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && error.name === 'BatonError' && 'code' in error;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCode); // the reader has closed the pipe
  throw error;
});

/** The commands of the package batonjs-lab. */
const laboratory = ['list', 'show', 'simulate', 'check', 'replay', 'measure', 'lab'];

/** Adds the commands of the laboratory. Returns false if it is not installed. */
async function addLaboratory(): Promise<boolean> {
  const name = 'batonjs-lab';
  const require = createRequire(import.meta.url);
  let found: { readonly version: string };
  try {
    found = require(`${name}/package.json`);
  } catch {
    return false;
  }
  if (found.version !== version)
    throw new InputError(
      `batonjs ${version} needs ${name} ${version}, not ${found.version}: npm install ${name}@${version}`,
    );
  const commands = await import('batonjs-lab/commands');
  commands.addLaboratory(baton, version, (code) => {
    exitCode = code;
  });
  return true;
}

/** Adds the commands of the laboratory if the command line is about them: one of them, help, or a word that is no command. */
async function addLaboratoryIfNeeded([word = '--help']: readonly string[]): Promise<void> {
  if (['exec', 'lead', 'status', '-V', '--version'].includes(word) || (await addLaboratory())) return;
  if (laboratory.includes(word))
    throw new InputError(`'baton ${word}' is in the package batonjs-lab: npm install batonjs-lab`);
  baton.addHelpText('after', `\nWith the package batonjs-lab also: ${laboratory.join(', ')}.`);
}

async function main(): Promise<void> {
  try {
    await addLaboratoryIfNeeded(process.argv.slice(2));
    if (process.argv.length <= 2) baton.outputHelp();
    else await baton.parseAsync();
  } catch (error) {
    if (error instanceof InputError) {
      console.error(`baton: ${error.message}`);
      exitCode = 2;
    } else if (isOfCluster(error)) {
      console.error(`baton: ${error.message}`);
      process.exit(exitCodes[error.code] ?? tryLater); // the client of an engine may keep the process alive
    } else if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
  process.exitCode = exitCode;
}

/** Rejects with an error that is not the user's, which then ends the process. */
export const ended = main();
