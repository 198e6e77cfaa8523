import { boundsFigure, measureOf, oneAxisFigure, type Row } from '../../measure/index.ts';
import type { SavableFile } from '../state/savable-file.ts';
import { pngBlob, svgBlob } from '../ui/save-file.ts';
import type { OwnAlgorithm } from './own-algorithm.ts';
import { type Sweep, sweepProblem, sweptAlgorithms } from './sweep.ts';
import { sweepCsv } from './sweep-csv.ts';

/** What the view shows at the moment. */
interface ShownSweep {
  readonly sweep: Sweep;
  readonly rows: readonly Row[];
}

/** The files of the measure view: the plot, its figures, and, if papers claim something of the measure, the plot of that. */
export function sweepFiles(
  shown: () => ShownSweep,
  own: OwnAlgorithm | null,
  hasClaimed: boolean,
): readonly SavableFile[] {
  const plot = (figure: typeof oneAxisFigure): string => {
    const { sweep, rows } = shown();
    return figure(sweepProblem(sweep, own), sweep.measure, sweptAlgorithms(sweep, own), rows);
  };
  const csv = (): string => {
    const { sweep, rows } = shown();
    return sweepCsv(sweepProblem(sweep, own), sweep.measure, rows);
  };
  const name = (ending: string) => () => `${sweepFileName(shown().sweep)}${ending}`;
  const files: SavableFile[] = [
    {
      ...{ label: 'SVG', hint: 'the comparison' },
      name: name('.svg'),
      make: async () => svgBlob(plot(oneAxisFigure)),
    },
    {
      ...{ label: 'PNG', hint: 'the same, as pixels' },
      name: name('.png'),
      make: () => pngBlob(plot(oneAxisFigure)),
    },
    {
      ...{ label: 'CSV', hint: 'all figures and claims' },
      name: name('.csv'),
      make: async () => new Blob([csv()], { type: 'text/csv' }),
    },
  ];
  if (!hasClaimed) return files;
  return [
    ...files,
    {
      ...{ label: 'Claims, SVG', hint: 'against the papers' },
      name: name('-claims.svg'),
      make: async () => svgBlob(plot(boundsFigure)),
    },
    {
      ...{ label: 'Claims, PNG', hint: 'as pixels' },
      name: name('-claims.png'),
      make: () => pngBlob(plot(boundsFigure)),
    },
  ];
}

const mostNames = 3; // in the name of a file

/** `synchronisation-delay-of-raymond-lamport`, `messages-of-7-algorithms` */
export function sweepFileName({ names, measure }: Pick<Sweep, 'names' | 'measure'>): string {
  const subjects = names.length > mostNames ? `${names.length}-algorithms` : names.join('-');
  const words = `${measureOf(measure).title} of ${subjects}`;
  return words
    .toLowerCase()
    .replace(/[^a-z\d+]+/g, '-')
    .replace(/^-|-$/g, '');
}
