// Runs many commands of the built command line in one process, because starting Node takes longer than most commands.
// In: a JSON array of arguments. Out: a JSON array with the output and the exit code of each.
import { readFileSync } from 'node:fs';

const commands = JSON.parse(readFileSync(0, 'utf8'));
const write = process.stdout.write.bind(process.stdout);
process.stdout.setMaxListeners(0);
const results = [];
for (const [k, args] of commands.entries()) {
  let printed = '';
  const keep = (text) => {
    printed += text;
    return true;
  };
  process.stdout.write = keep;
  process.stderr.write = keep;
  process.argv = [process.execPath, 'baton', ...args];
  process.exitCode = 0;
  await import(`../../dist/cli/main.js?${k}`); // a new instance, which reads its arguments and ends
  results.push({ printed, status: process.exitCode });
}
process.exitCode = 0;
write(JSON.stringify(results));
