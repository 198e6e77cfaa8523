import type { ConnectionFlags } from '../input/connection-flags.ts';
import { assertExecutable, runCommand } from '../processes/child-process.ts';
import { joinOrExit, onTermination } from '../processes/termination.ts';

export interface LeadOptions extends ConnectionFlags {
  readonly group: string;
}

/** Runs the command while this process leads, again for every term it wins; when the command ends by itself, so does this. */
export async function leadCommand(
  name: string,
  command: readonly string[],
  options: LeadOptions,
): Promise<number> {
  assertExecutable(command);
  let told = onTermination();
  await using group = await joinOrExit(options, told);
  for (;;) {
    const { value: term } = await group.election(name).terms({ signal: told.signal }).next();
    if (term === undefined) {
      told.stop();
      return told.code();
    }
    console.error(`baton: leads '${name}'`);
    const running = runCommand(command, { BATON_FENCE: `${term.fence}` }, term.signal);
    told.stop();
    const code = await running;
    if (term.state !== 'lost') return code;
    console.error(
      `baton: leads '${name}' no longer: leadership was lost; ${command[0]} was ended, stands again`,
    );
    told = onTermination();
  }
}
