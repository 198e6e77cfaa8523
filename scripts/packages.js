// Bundles dist/ into the two packages, packages/batonjs and packages/batonjs-lab.
//
// A package has its entry points and what they import. What both need is in batonjs only, so a process has one instance of everything:
// the laboratory imports it from batonjs/internal (which runs in browsers) and batonjs/internal-node.
//
// The code of batonjs is CommonJS, which every tool can both import and require, so that there is one copy of it: dist/NAME.js has only
// the names that modules import. The code of batonjs-lab is modules. Declarations are CommonJS, which those of modules may import.
//
//   dist/NAME.cjs, dist/NAME.js    what `exports` names, for require and for import
//   dist/types/, dist/NAME.d.ts    its declarations
//   dist/browser/NAME.js           of batonjs-lab: for browsers, with all that they import from batonjs
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'dist');

/** The entry points that `exports` of each package names, and the programs that it starts; as files in dist/. */
const entries = {
  batonjs: {
    index: 'index.js',
    core: 'core/index.js',
    machine: 'machine/index.js',
    algorithms: 'algorithms/locks-and-elections.js',
    cluster: 'cluster/index.js',
    etcd: 'cluster/engines/clients/etcd-settings.js',
    fences: 'cluster/fences.js',
    ioredis: 'cluster/engines/clients/ioredis-client.js',
    mysql: 'cluster/engines/clients/mysql-pool.js',
    nats: 'cluster/engines/clients/nats-connection.js',
    postgres: 'cluster/engines/clients/postgres-pool.js',
    redis: 'cluster/engines/clients/redis-client.js',
    cli: 'cli/main.js',
  },
  'batonjs-lab': {
    algorithms: 'algorithms/index.js',
    causality: 'causality/index.js',
    check: 'check/index.js',
    compositions: 'compositions/index.js',
    diagram: 'diagram/index.js',
    'engine-conformance': 'engine-conformance/index.js',
    mutants: 'mutants/index.js',
    sim: 'sim/index.js',
    commands: 'cli/laboratory.js',
    'check-worker': 'cli/processes/check-worker.js',
    'measure-worker': 'cli/processes/measure-worker.js',
    'demo-supervisor': 'cli/lab-server/demo-supervisor.js',
    'demo-process': 'cli/lab-server/demo-process.js',
  },
};
const forwarded = ['core', 'machine']; // of batonjs, by batonjs-lab: browsers get all they need from one set of files
const pure = ['algorithms', 'causality', 'check', 'compositions', 'diagram', 'mutants', 'sim'];
const programs = ['cli', 'check-worker', 'measure-worker', 'demo-supervisor', 'demo-process'];
const nodeFolders = /^(cli|cluster|index)\b/;
const inlined = ['@msgpack/msgpack', 'commander']; // into batonjs: fewer files to load, fewer packages to trust at install
const sources = ['algorithms', 'compositions', 'mutants']; // `baton show` prints them

const specifiers = /((?:\*\s+)?\b(?:from|import)\s*\(?\s*["'])(\.[^"']+)(["'])/g;

/** The file that an import means. Declarations import `.ts`, which only the newest compilers understand. */
const imported = (file, to, extension) => join(dirname(file), to.replace(/\.[jt]s$/, extension));

/** Returns the files that a file imports, directly or not, itself included. `extension` is that of imported files. */
function closureOf(files, extension) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, , to] of withoutComments(readFileSync(file, 'utf8')).matchAll(specifiers))
      visit(imported(file, to, extension));
  };
  for (const file of files) visit(file);
  return found;
}

/** Doc comments have examples that import, too. */
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const inCompiled = (name) => Object.values(entries[name]).map((file) => join(compiled, file));
const own = closureOf(inCompiled('batonjs'), '.js');
const ownTypes = closureOf(typesIn('batonjs'), '.d.ts');
/** The declarations of the entry points that are not programs. */
function typesIn(name) {
  return publicEntries(name).map(([, file]) => join(compiled, file.replace(/\.js$/, '.d.ts')));
}
function publicEntries(name) {
  return Object.entries(entries[name]).filter(([entry]) => !programs.includes(entry));
}

/** From where the laboratory imports a file of batonjs: the entry point that it is, or an internal one. */
function subpathOf(file) {
  const path = relative(compiled, file).replace(/\.d\.ts$/, '.js');
  const [entry] = publicEntries('batonjs').find(([, own]) => own === path) ?? [];
  if (entry !== undefined) return join('batonjs', entry).replace(/.index$/, '');
  return nodeFolders.test(path) ? 'batonjs/internal-node' : 'batonjs/internal';
}

/** Returns the files of batonjs that files of the laboratory import, by the entry point that exports them. */
function importedByLaboratory(files, isOwn, extension) {
  const found = { 'batonjs/internal': new Set(), 'batonjs/internal-node': new Set() };
  for (const file of files)
    if (!isOwn.has(file))
      for (const [, , to] of withoutComments(readFileSync(file, 'utf8')).matchAll(specifiers)) {
        const target = imported(file, to, extension);
        if (isOwn.has(target)) found[subpathOf(target)]?.add(target);
      }
  return found;
}

const labFiles = closureOf(inCompiled('batonjs-lab'), '.js');
const labTypes = closureOf(typesIn('batonjs-lab'), '.d.ts');
const internal = importedByLaboratory(labFiles, own, '.js');
const internalTypes = importedByLaboratory(labTypes, ownTypes, '.d.ts');
const internalNames = ['internal', 'internal-node'];

const bundleFolder = (name) => join(root, 'packages', name, 'dist');

/** The code of batonjs/internal and batonjs/internal-node: all that the imported files export. */
const internalCode = {
  name: 'internal',
  resolveId: (id) => (internalNames.includes(id) ? `\0${id}` : null),
  load(id) {
    const files = id.startsWith('\0') ? internal[`batonjs/${id.slice(1)}`] : undefined;
    return files && [...files].map((file) => `export * from ${JSON.stringify(file)};`).join('\n');
  },
};

/** In the laboratory, imports of files of batonjs become imports of the package. */
const fromPackage = {
  name: 'from-package',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return null;
    const target = join(dirname(importer), id);
    return own.has(target) ? { id: subpathOf(target), external: true } : null;
  },
};

const isInlined = (id) => inlined.some((name) => id === name || id.startsWith(`${name}/`));
const external = (id) =>
  !id.startsWith('\0') &&
  !/^[./]/.test(id) &&
  !internalNames.includes(id) &&
  !isInlined(id) &&
  (id.startsWith('node:') || builtinModules.includes(id) || !id.startsWith('virtual:'));

async function bundle(input, plugins, output) {
  const build = await rolldown({
    input,
    plugins,
    external,
    platform: 'node',
    checks: { pluginTimings: false },
    onLog(level, log) {
      throw new Error(`${level}: ${log.message}`);
    },
  });
  await build.write({ comments: { legal: false, annotation: true, jsdoc: false }, ...output });
  await build.close();
}

/** Copies declarations into dist/types, as CommonJS. Declarations of the laboratory import those of batonjs from the package. */
function writeTypes(name, files, isOwn) {
  const folder = join(bundleFolder(name), 'types');
  for (const file of files) {
    const target = join(folder, relative(compiled, file));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
    const rewritten = text.replace(specifiers, (_, before, to, after) => {
      const target = imported(file, to, '.d.ts');
      if (isOwn(target) && /\*\s+from/.test(before) && subpathOf(target).includes('internal'))
        throw new Error(
          `${file} exports all of ${to}, which is an internal file of batonjs: name what it exports`,
        );
      return before + (isOwn(target) ? subpathOf(target) : to.replace(/\.ts$/, '.js')) + after;
    });
    writeFileSync(target, rewritten);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

const forwardTypes = (name, entry, target) =>
  writeFileSync(join(bundleFolder(name), `${entry}.d.ts`), `export * from './types/${target}';\n`);

/** The licences of what is inlined. */
function writeLicences() {
  const texts = inlined.map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
  });
  writeFileSync(join(bundleFolder('batonjs'), 'THIRD-PARTY-LICENSES'), texts.join('\n\n'));
}

for (const name of Object.keys(entries)) {
  rmSync(bundleFolder(name), { recursive: true, force: true });
  mkdirSync(bundleFolder(name), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(root, 'packages', name, 'LICENSE'));
}

const chunksAt = (name, extension) => ({
  dir: bundleFolder(name),
  entryFileNames: `[name]${extension}`,
  chunkFileNames: `[name]-chunk${extension}`,
});

/** The entry points of a package as input of a bundle. */
const inputOf = (name, chosen) =>
  Object.fromEntries(
    Object.entries(entries[name])
      .filter(([entry]) => chosen(entry))
      .map(([entry, file]) => [entry, join(compiled, file)]),
  );

const all = () => true;
const isPure = (entry) => pure.includes(entry);

/** In the CommonJS code, `require` of a module of Node would fail in a bundle that is a module: it becomes `getBuiltinModule`. */
const builtins = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replace(/\brequire\((["']node:[\w/]+["'])\)/g, 'globalThis.process.getBuiltinModule($1)'),
};

await bundle(
  { ...inputOf('batonjs', all), ...Object.fromEntries(internalNames.map((entry) => [entry, entry])) },
  [internalCode, builtins],
  {
    ...chunksAt('batonjs', '.cjs'),
    format: 'cjs',
    codeSplitting: {
      groups: [
        {
          name: 'pure',
          test: /dist.(core|machine|algorithms|catalogue|compositions|member).*/,
          entriesAware: false,
        },
      ],
    },
  },
);
chmodSync(join(bundleFolder('batonjs'), 'cli.cjs'), 0o755);
const require = createRequire(import.meta.url);
for (const entry of [...publicEntries('batonjs').map(([entry]) => entry), ...internalNames]) {
  const names = Object.keys(require(join(bundleFolder('batonjs'), `${entry}.cjs`))).filter(
    (name) => name !== '__esModule',
  );
  writeFileSync(
    join(bundleFolder('batonjs'), `${entry}.js`),
    `import exported from './${entry}.cjs';\nexport const { ${names.join(', ')} } = exported;\n`,
  );
}
writeTypes('batonjs', ownTypes, () => false);
for (const [entry, file] of publicEntries('batonjs')) forwardTypes('batonjs', entry, file);
for (const entry of internalNames) {
  const lines = [...internalTypes[`batonjs/${entry}`]].map(
    (file) => `export * from './${relative(compiled, file).replace(/\.d\.ts$/, '.js')}';\n`,
  );
  writeFileSync(join(bundleFolder('batonjs'), 'types', `${entry}.d.ts`), lines.join(''));
  forwardTypes('batonjs', entry, `${entry}.js`);
}
writeLicences();

await bundle(inputOf('batonjs-lab', all), [fromPackage], { ...chunksAt('batonjs-lab', '.js'), format: 'es' });
writeTypes(
  'batonjs-lab',
  [...labTypes].filter((file) => !ownTypes.has(file)),
  (file) => ownTypes.has(file),
);
for (const [entry, file] of publicEntries('batonjs-lab')) {
  forwardTypes('batonjs-lab', entry, file);
  writeFileSync(
    join(bundleFolder('batonjs-lab'), `${entry}.cjs`),
    `module.exports = require('./${entry}.js');\n`,
  );
}
const inBrowsers = {
  ...inputOf('batonjs', (entry) => forwarded.includes(entry)),
  ...inputOf('batonjs-lab', isPure),
};
await bundle(inBrowsers, [], {
  ...chunksAt('batonjs-lab', '.js'),
  dir: join(bundleFolder('batonjs-lab'), 'browser'),
  format: 'es',
});
for (const entry of forwarded) {
  const folder = bundleFolder('batonjs-lab');
  writeFileSync(join(folder, `${entry}.js`), `export * from 'batonjs/${entry}';\n`);
  writeFileSync(join(folder, `${entry}.cjs`), `module.exports = require('batonjs/${entry}');\n`);
  writeFileSync(join(folder, 'types', `${entry}.d.ts`), `export * from 'batonjs/${entry}';\n`);
  forwardTypes('batonjs-lab', entry, `${entry}.js`);
}
for (const folder of sources)
  cpSync(join(root, 'src', folder), join(bundleFolder('batonjs-lab'), 'sources', folder), {
    recursive: true,
  });
