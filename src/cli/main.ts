#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type GroupCommand, groupCommands } from './group-commands.ts';

// In the package, this file is dist/cli.cjs.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Exit codes: 0 success, 1 a property is violated, 2 wrong usage, 75 the engine is unavailable, 76 a lock is lost. */
let exitCode = 0;
const tryLater = 75; // as in sysexits.h

/** The exit codes of BatonErrors. All others stand for a circumstance, and a later attempt may succeed. */
const exitCodes: Readonly<Record<string, number>> = { input: 2, conflict: 2, lost: 76 };

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCode); // the reader has closed the pipe
  throw error;
});

/**
 * Reads a command line like `exec --lock NAME -- COMMAND`. Returns null for every other one: for the other commands, for help, and if
 * anything is wrong with it.
 */
function readUsual([name = '', ...rest]: readonly string[]): (() => Promise<number>) | null {
  const command: GroupCommand | undefined = Object.hasOwn(groupCommands, name)
    ? groupCommands[name]
    : undefined;
  const end = rest.indexOf('--');
  if (command === undefined || end < 0) return null;
  const kinds = Object.entries(command.options).map(
    ([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const given: Record<string, string | boolean | undefined> = {};
  let words: string[];
  try {
    const { values, positionals } = parseArgs({
      args: rest.slice(0, end),
      options: Object.fromEntries(kinds),
      allowPositionals: true,
    });
    Object.assign(given, values);
    words = [...positionals, ...rest.slice(end + 1)];
  } catch {
    return null;
  }
  for (const [option, { defaultValue, isRequired }] of Object.entries(command.options)) {
    given[option] ??= defaultValue;
    if (isRequired && given[option] === undefined) return null;
  }
  const needed = command.usage.split(' ').length - 1;
  return words.length < needed || needed === 0 ? null : () => command.run(words, given as never);
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  try {
    const run = readUsual(words);
    if (run !== null) exitCode = await run();
    else {
      const { runProgram } = await import('./program.ts');
      exitCode = await runProgram(words, version);
    }
  } catch (error) {
    const { name, message, code }: Partial<NodeJS.ErrnoException> = Object(error);
    if (name === 'InputError') exitCode = 2;
    else if (name !== 'BatonError') throw error;
    console.error(`baton: ${message}`);
    if (name === 'BatonError') process.exit(exitCodes[code!] ?? tryLater); // the client of an engine may keep the process alive
  }
  process.exitCode = exitCode;
}

/** Rejects with an error that is not the user's, which then ends the process. */
export const ended = main();
