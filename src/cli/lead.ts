import { checkCommand, run, untilTold } from './child.ts';
import { joinUnlessTold } from './joining.ts';
import type { PlaceFlags } from './place.ts';

export interface LeadOptions extends PlaceFlags {
  readonly group: string;
}

/** Runs the command while this process leads, again for every term it wins; when the command ends by itself, so does this. */
export async function leadCommand(
  name: string,
  command: readonly string[],
  options: LeadOptions,
): Promise<number> {
  checkCommand(command);
  let told = untilTold();
  await using group = await joinUnlessTold(options, told);
  for (;;) {
    const { value: term } = await group.election(name).terms({ signal: told.signal }).next();
    if (term === undefined) {
      told.stop();
      return told.code();
    }
    console.error(`baton: leads '${name}'`);
    const running = run(command, { BATON_FENCE: `${term.fence}` }, term.signal);
    told.stop();
    const code = await running;
    if (term.state !== 'lost') return code;
    console.error(
      `baton: leads '${name}' no longer: leadership was lost; ${command[0]} was ended, stands again`,
    );
    told = untilTold();
  }
}
