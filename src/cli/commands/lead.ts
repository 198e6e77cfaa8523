import type { Election, Term } from '../../cluster/index.ts';
import type { JoinFlags } from '../input/connection-flags.ts';
import { assertExecutable, findParentDeathTool, runCommand } from '../processes/child-process.ts';
import { joinOrExit, onTermination } from '../processes/termination.ts';

export interface LeadOptions extends JoinFlags {
  readonly group: string;
  readonly algorithm?: string; // that elects the leader; defaults to none
}

/** Runs the command while this process leads, once per term it wins. Exits when the command ends by itself. */
export async function leadCommand(
  name: string,
  command: readonly string[],
  options: LeadOptions,
): Promise<number> {
  assertExecutable(command);
  const findingTool = findParentDeathTool();
  const termination = onTermination();
  await using group = await joinOrExit(options, termination);
  const tool = await findingTool;
  try {
    const election = group.election(name, { algorithm: options.algorithm });
    for (;;) {
      const term = await win(election, termination.signal);
      if (term === null) return termination.code();
      console.error(`baton: leads '${name}'`);
      const code = await runCommand(command, { BATON_FENCE: `${term.fence}` }, term.signal, tool);
      await term.resign(); // only after the command has ended
      if (term.state !== 'lost') return code;
      if (termination.signal.aborted) return termination.code();
      console.error(
        `baton: leads '${name}' no longer: leadership was lost; ${command[0]} was ended, stands again`,
      );
    }
  } finally {
    termination.stop();
  }
}

/** Returns null if the signal aborts first. It does not end the term: a command that runs gets the signals of this process itself. */
async function win(election: Election, signal: AbortSignal): Promise<Term | null> {
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const { value: term } = await election.terms({ signal: waiting.signal }).next();
  signal.removeEventListener('abort', stop);
  if (!signal.aborted || !term) return term ?? null;
  await term.resign();
  return null;
}
