import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that only the full tier runs: they take minutes, and the quick tier has a test of the same kind. */
const fullTier = [
  'test/cluster/{campaign,etcd,mysql,nats,postgres,redis}.test.ts', // quick: the engine of one machine, the simulated groups
  'test/cluster/{cli-group-commands,clock-skew,election-processes,lost-files,processes,rolling-upgrade,tcp,tcp-security}.test.ts', // quick: Unix sockets, groups in one process
  'test/lab/{check-view,clocks-and-snapshots,edit-view,every-view,live-view,measure-view,mutants,permalinks,shared-memory,states}-browser.test.ts', // quick: the first load in both browsers, the run view in Chromium
  'test/lab/{live-server,typescript-compiler}.test.ts',
  'test/check/{catalogue,early-delivery,reduction,threads}.test.ts', // quick: counts, random systems, regressions, mutants
  'test/{algorithm-file,browser,comparison,pages}.test.ts', // quick: the command line, the examples
  'test/pack/*.test.ts',
  'test/measure/cli.test.ts', // quick: the other commands
  'test/opponent/catalogue-opponent.test.ts', // quick: random algorithms
];

/** Starts the longest file first. Without timings of earlier runs vitest would start it last, and it would run alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith('/cluster/campaign.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const root = import.meta.dirname;

/** Resolves src/ to dist/ after a build: tests run the code that users get, and vitest need not compile it again. */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!source.startsWith('.') || importer === undefined) return null;
    const path = relative(`${root}/src`, resolve(dirname(importer), source));
    const file = `${root}/dist/${path.replace(/\.ts$/, '.js')}`;
    return path.startsWith('..') || !path.endsWith('.ts') || !existsSync(file) ? null : file;
  },
};

const pure = `test/{algorithms,causality,check,compositions,conformance,core,diagram,live,machine,measure,member,opponent,problems,sim,timeline}/**/*.test.ts`;
const timeout = process.env.BATON_TIER === 'verify' ? 3_600_000 : 120_000; // a busy machine takes five times as long as a quiet one
const exclude = [...configDefaults.exclude, ...(process.env.BATON_TIER === 'quick' ? fullTier : [])];

export default defineConfig({
  plugins: process.env.BATON_BUILT ? [built] : [],
  test: {
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 3, // more than most machines for this have processors: many tests wait for processes of their own
    sequence: { sequencer: LongFirst },
    projects: [
      // These change no global state, so files share a process and the code it has compiled: a third less time.
      { extends: true, test: { name: 'pure', include: [pure], exclude, isolate: false } },
      {
        extends: true,
        test: { name: 'processes', include: ['test/**/*.test.ts'], exclude: [...exclude, pure] },
      },
    ],
  },
});
