// Writes the result of each test to $BATON_REPORT, with the reason if it was skipped.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class RuntimeReporter {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => {
      const file = relative(process.cwd(), module.moduleId);
      const failed = module.errors().map(({ message }) => ({ file, name: message, state: 'failed' }));
      const cases = [...module.children.allTests()].map((one) => {
        const { state, note, errors: found } = one.result();
        const isRetried = (one.diagnostic()?.retryCount ?? 0) > 0;
        return { file, name: one.fullName, state, reason: note, error: found?.[0]?.message, isRetried };
      });
      return [...failed, ...cases];
    });
    const others = errors.map(({ message }) => ({ file: '', name: `${message}`, state: 'failed' }));
    writeFileSync(process.env.BATON_REPORT, JSON.stringify([...tests, ...others]));
  }
}
