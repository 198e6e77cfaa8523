// Runs many commands of the built command line in one process, because starting Node takes longer than most commands.
// In: a JSON array of arguments. Out: a JSON array with the output and the exit code of each.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const command = require.resolve('../../packages/batonjs/dist/cli.cjs');

const commands = JSON.parse(readFileSync(0, 'utf8'));
const write = process.stdout.write.bind(process.stdout);
process.stdout.setMaxListeners(0);
const results = [];
for (const args of commands) {
  let printed = '';
  const keep = (text) => {
    printed += text;
    return true;
  };
  process.stdout.write = keep;
  process.stderr.write = keep;
  process.argv = [process.execPath, 'baton', ...args];
  process.exitCode = 0;
  delete require.cache[command]; // a new instance reads its arguments and ends
  await require(command).ended;
  results.push({ printed, status: process.exitCode });
}
process.exitCode = 0;
write(JSON.stringify(results));
