// The whole command line, by the package commander: help, every error in usage, and the commands of the laboratory.
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InputError } from '../core/assert.ts';
import { type GroupCommand, groupCommands } from './group-commands.ts';

/** The commands of the package batonjs-lab. */
const laboratory = ['list', 'show', 'simulate', 'check', 'replay', 'measure', 'lab'];

const examples = `
Begin with:
  $ baton exec --lock nightly -- ./report.sh      one at a time, whoever asks
  $ baton list                                    what there is
  $ baton simulate chang-roberts --n 5 --diagram  one election, drawn
  $ baton simulate lamport --channels unordered --n 2 --seed 5   what breaks without FIFO
  $ baton check ricart-agrawala                   every interleaving of three processes
  $ baton check ./mine.ts                         of an algorithm of your own
  $ baton measure chang-roberts                   messages, times, sizes and load against its formulas
  $ baton lab                                     a page to watch and to interfere with runs`;

/** Parses and runs a command line. Returns the exit code. */
export async function runProgram(words: readonly string[], version: string): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number) => {
    exitCode = code;
  };
  const baton = new Command('baton')
    .description(
      'Mutual exclusion and leader election: locks and leaders between processes, and every classical algorithm, simulated, counted and checked.',
    )
    .version(version)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', examples);
  for (const command of Object.values(groupCommands)) addGroupCommand(baton, command, exitWith);
  try {
    await addLaboratoryIfNeeded(words, baton, version, exitWith);
    if (words.length === 0) baton.outputHelp();
    else await baton.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

function addGroupCommand(baton: Command, group: GroupCommand, exitWith: (code: number) => void): void {
  const { usage, about, options, help, run } = group;
  const command = baton.command(usage).description(about).addHelpText('after', help);
  for (const [name, { value, about, defaultValue, isRequired }] of Object.entries(options)) {
    const flags = value === undefined ? `--${name}` : `--${name} <${value}>`;
    const option = baton.createOption(flags, about).makeOptionMandatory(isRequired === true);
    command.addOption(defaultValue === undefined ? option : option.default(defaultValue));
  }
  command.action(async (...given: unknown[]) => {
    exitWith(await run(given.slice(0, -2).flat() as string[], given.at(-2) as never));
  });
}

/** Adds the commands of the laboratory. Returns false if it is not installed. */
async function addLaboratory(
  baton: Command,
  version: string,
  exitWith: (code: number) => void,
): Promise<boolean> {
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
  commands.addLaboratory(baton, version, exitWith);
  return true;
}

/** Adds the commands of the laboratory if the command line is about them: one of them, help, or a word that is no command. */
async function addLaboratoryIfNeeded(
  [word = '--help']: readonly string[],
  baton: Command,
  version: string,
  exitWith: (code: number) => void,
): Promise<void> {
  const isOurs = Object.hasOwn(groupCommands, word) || word === '-V' || word === '--version';
  if (isOurs || (await addLaboratory(baton, version, exitWith))) return;
  if (laboratory.includes(word))
    throw new InputError(`'baton ${word}' is in the package batonjs-lab: npm install batonjs-lab`);
  baton.addHelpText('after', `\nWith the package batonjs-lab also: ${laboratory.join(', ')}.`);
}
