// The runtimes that the tests try, as npm publishes them. The packages contain the programs, so no script of theirs runs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { platform, arch } = process;
const processor = { x64: 'x64', arm64: 'aarch64' }[arch];

/** Exact versions. docs/packages.md and the README name them, too. */
export const runtimes = [
  node('20.20.2'),
  node('22.23.3'),
  node('24.21.0'),
  {
    name: 'Bun 1.4.4',
    package: `@oven/bun-linux-${processor}@1.4.4`,
    program: 'bin/bun',
    run: ['--bun', 'run'],
    hasKeys: false,
  },
  {
    name: 'Deno 2.9.6',
    package: `@deno/linux-${arch}-glibc@2.9.6`,
    program: 'deno',
    run: ['run', '--allow-all', '--no-lock', '--quiet'],
    hasKeys: false,
  },
];

function node(version) {
  return {
    name: `Node ${version}`,
    package: `node-linux-${arch}@${version}`,
    program: 'bin/node',
    run: [],
    hasKeys: true, // pre-shared keys in TLS, which a secret needs
  };
}

/** Installs all of them. Returns how each runs a file: a command and its first arguments. */
export function installRuntimes(folder) {
  if (platform !== 'linux' || processor === undefined)
    throw new Error(`the runtimes are tried on Linux with x64 or arm64, not on ${platform} with ${arch}`);
  const packages = runtimes.map(({ package: of }, k) => `runtime-${k}@npm:${of}`);
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  const { status, stderr } = spawnSync('npm', [...options, ...packages], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the runtimes cannot be installed:\n${stderr}`);
  return runtimes.map(({ name, program, run, hasKeys }, k) => {
    const command = join(folder, 'node_modules', `runtime-${k}`, program);
    return { name, hasKeys, command, run };
  });
}
