// Finds the browsers for the tests, or installs Debian's packages when that is possible.
import { spawnSync } from 'node:child_process';

const browsers = {
  Chromium: { commands: ['chromium', 'chromium-browser', 'google-chrome'], debianPackage: 'chromium' },
  Firefox: { commands: ['firefox-esr', 'firefox'], debianPackage: 'firefox-esr' },
};

const succeeds = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const commandOf = (name) =>
  browsers[name].commands.find((command) => succeeds(command, ['--version'])) ?? null;

/** Returns the command of each browser, or null. With CI=true a missing browser is an error. */
export function findOrInstallBrowsers() {
  const missing = Object.keys(browsers).filter((name) => commandOf(name) === null);
  const isRoot = process.getuid?.() === 0;
  if (missing.length > 0 && isRoot && succeeds('apt-get', ['--version']))
    install(missing.map((name) => browsers[name].debianPackage));
  return { chromium: commandOrReason('Chromium'), firefox: commandOrReason('Firefox') };
}

function install(packages) {
  console.log(`\n> installing ${packages.join(' and ')}, for the tests that run in a browser`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update'], { stdio: 'ignore', env });
  for (const one of packages)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', one], { stdio: 'ignore', env });
}

/** Returns the command of a browser. Prints why its tests are skipped if there is none. */
function commandOrReason(name) {
  const command = commandOf(name);
  if (command !== null) return command;
  const { debianPackage } = browsers[name];
  if (process.env.CI === 'true') {
    console.error(`${name} was not found and could not be installed: apt-get install ${debianPackage}`);
    process.exit(1);
  }
  console.log(`\n${name} was not found, so its tests are skipped: apt-get install ${debianPackage}`);
  return null;
}
