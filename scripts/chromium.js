// Finds Chromium, or installs Debian's package when that is possible.
import { spawnSync } from 'node:child_process';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const find = () =>
  names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;

/** Returns the command, or null. With CI=true a missing Chromium is an error. */
export function findOrInstallChromium() {
  const found = find();
  if (found !== null) return found;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0) {
    console.log('\n> installing chromium, for the tests that run in a browser');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update'], { stdio: 'ignore', env });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore', env });
  }
  const installed = find();
  if (installed === null && process.env.CI === 'true') {
    console.error('chromium is not there and could not be installed: apt-get install chromium');
    process.exit(1);
  }
  return installed;
}
