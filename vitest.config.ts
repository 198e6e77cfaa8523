import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where nothing is known of earlier runs, large files come first. This one is small, and would run alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith('/cluster/campaign.test.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const root = import.meta.dirname;

/** The test command has compiled src/ to dist/: tests get what users get, and need not wait for it to be compiled once more. */
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

export default defineConfig({
  plugins: process.env.BATON_BUILT ? [built] : [],
  test: {
    server: { deps: { external: [/\/dist\//] } },
    include: ['test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3, // more than most machines for this have processors: many tests wait for processes of their own
    sequence: { sequencer: LongFirst },
  },
});
