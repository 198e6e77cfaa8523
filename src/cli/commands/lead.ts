import type { ConnectionFlags } from '../input/connection-flags.ts';
import { assertExecutable, runCommand } from '../processes/child-process.ts';
import { joinOrExit, onTermination } from '../processes/termination.ts';

export interface LeadOptions extends ConnectionFlags {
  readonly group: string;
}

/** Runs the command while this process leads, once per term it wins. Exits when the command ends by itself. */
export async function leadCommand(
  name: string,
  command: readonly string[],
  options: LeadOptions,
): Promise<number> {
  assertExecutable(command);
  let termination = onTermination();
  await using group = await joinOrExit(options, termination);
  for (;;) {
    const { value: term } = await group.election(name).terms({ signal: termination.signal }).next();
    if (term === undefined) {
      termination.stop();
      return termination.code();
    }
    console.error(`baton: leads '${name}'`);
    const running = runCommand(command, { BATON_FENCE: `${term.fence}` }, term.signal);
    termination.stop();
    const code = await running;
    if (term.state !== 'lost') return code;
    console.error(
      `baton: leads '${name}' no longer: leadership was lost; ${command[0]} was ended, stands again`,
    );
    termination = onTermination();
  }
}
