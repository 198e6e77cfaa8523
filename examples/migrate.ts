// A migration that runs once, though every instance tries it when it starts.
//   node examples/migrate.ts FOLDER
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'batonjs';

const [, , folder = '.'] = process.argv;
const done = `${folder}/schema-7`;

await using group = await join('shop');
await using lock = await group.lock('migrate', { timeoutMs: 60_000 });
if (existsSync(done)) console.log('already migrated');
else {
  mkdirSync(folder, { recursive: true });
  lock.assertHeld(); // we may have been stopped since: look again at the last moment
  writeFileSync(done, `by ${process.pid} under fence ${lock.fence}\n`);
  console.log('migrated');
}
