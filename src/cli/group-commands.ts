// The commands of the package batonjs, as data: main.ts reads the usual command line without the package commander, which takes as long to
// load as to join a group, and program.ts tells commander the rest.
import { connectionHelp, defaultGroup } from './input/connection-flags.ts';

export interface GroupCommandOption {
  readonly value?: string; // how help calls it; defaults to none: a flag
  readonly about: string;
  readonly defaultValue?: string;
  readonly isRequired?: boolean;
}

export interface GroupCommand {
  readonly usage: string;
  readonly about: string;
  readonly options: Readonly<Record<string, GroupCommandOption>>;
  readonly help: string;
  /** Returns the exit code. `options` has what the table says. */
  readonly run: (words: readonly string[], options: never) => Promise<number>;
}

/** Of commands that join or inspect a group. */
const connection: GroupCommand['options'] = {
  engine: { value: 'url', about: 'where the group agrees on its members, if on many machines' },
  listen: { value: 'address', about: 'where its other members reach this process: host:port' },
  unsafe: { about: 'accept an engine that may forget what it has acknowledged' },
};
const joining: GroupCommand['options'] = {
  ...connection,
  local: { about: 'in Kubernetes, without an engine: a group of this pod alone; or BATON_LOCAL=1' },
};
const group: GroupCommandOption = {
  value: 'name',
  about: 'the group of processes',
  defaultValue: defaultGroup,
};

// Each command loads only the modules that it needs.
export const groupCommands: Readonly<Record<string, GroupCommand>> = {
  exec: {
    usage: 'exec <command...>',
    about: 'runs a command while holding a lock: one at a time, whoever asks',
    options: {
      ...joining,
      lock: { value: 'name', about: 'which lock', isRequired: true },
      group,
      try: { about: 'do not wait: exit with 75 if somebody else holds it' },
      timeout: { value: 'ms', about: 'wait so long, then exit with 75' },
    },
    help: `${connectionHelp}

The exit code is that of the command; 75 if the lock was not got, 76 if it was lost while the command ran, which is then ended by SIGTERM, and
SIGKILL. BATON_FENCE is a number larger than that of every earlier holder.

  $ baton exec --lock nightly -- ./report.sh`,
    run: async (words, options) => (await import('./commands/exec.ts')).execCommand(words, options),
  },
  lead: {
    usage: 'lead <name> <command...>',
    about: 'runs a command while leading, again after every term won',
    options: {
      ...joining,
      group,
      algorithm: {
        value: 'name',
        about: 'the election algorithm that chooses the leader, the same in every process (default: none)',
      },
    },
    help: connectionHelp,
    run: async ([name, ...words], options) =>
      (await import('./commands/lead.ts')).leadCommand(name!, words, options),
  },
  status: {
    usage: 'status',
    about: 'the groups on this machine, or one elsewhere: members, who holds, who waits, who leads',
    options: {
      json: { about: 'one JSON document on stdout, nothing else' },
      ...connection,
      group: { value: 'name', about: 'only this one' },
      consistent: {
        about:
          'by a snapshot: all of one moment at which it could have been so; who holds, or where the token is',
      },
    },
    help: connectionHelp,
    run: async (_, options) => (await import('./commands/status.ts')).statusCommand(options),
  },
};
