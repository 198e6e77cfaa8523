import { algorithmInfo } from '../../catalogue/index.ts';
import { findingsIn } from '../../core/world-queries.ts';
import { processNames, useLab } from '../ui/context.ts';

/** Shows the numbers that the algorithm finds besides solving its problem. */
export function FoundPanel() {
  const lab = useLab();
  const { run, position } = lab;
  const { finds } = algorithmInfo(run.setup.algorithm);
  if (finds === undefined) return null;
  const states = Array.from({ length: run.setup.n }, (_, i) => run.stateAt(i, position));
  const found = findingsIn(finds, states);
  return (
    <section class="panel found" aria-label="Found">
      {Object.keys(finds).map((name) => (
        <p key={name}>
          {name}: {foundText(found.filter(({ what }) => what === name).map(text))}
        </p>
      ))}
    </section>
  );

  function text({ process, value }: (typeof found)[number]) {
    return `${value}, found by ${processNames(lab)(process)}`;
  }
}

const mostListed = 5;

function foundText(texts: readonly string[]): string {
  if (texts.length === 0) return 'not found yet';
  const more = texts.length > mostListed ? [`and ${texts.length - mostListed} more`] : [];
  return [...texts.slice(0, mostListed), ...more].join('; ');
}
