// node scripts/release-check.js v1.2.3: refuses a tag that is not the version of package.json, or that the changelog does not know.
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));
const [tag] = process.argv.slice(2);
const complaint =
  tag !== `v${version}`
    ? `The tag is ${tag}, but package.json has version ${version}: tag v${version}, or change the version.`
    : !read('CHANGELOG.md').split('\n').includes(`## ${version}`)
      ? `CHANGELOG.md has no heading "## ${version}": say there what changed.`
      : null;
if (complaint !== null) {
  console.error(complaint);
  process.exitCode = 2;
}
