// The measures of a run as rows of a table.
import type { Measured } from '../../core/algorithm.ts';
import type { AppliedBound, Judged, Measures, Run, Spread } from '../../sim/index.ts';

export const measureTitles: Readonly<Record<Measured, string>> = {
  messages: 'messages',
  synchronisationDelay: 'delay',
  waitingTime: 'waiting',
  responseTime: 'response',
  throughput: 'throughput',
  electionTime: 'election time',
  chain: 'chain',
  elements: 'elements',
  bits: 'bits',
  load: 'load',
};

/** Returns a row for each measure that applies. */
export function measureRows({ measures }: Run): string[][] {
  if (measures === null) return [];
  const { electionTime, chain, throughput, load } = measures;
  const times = (['synchronisationDelay', 'waitingTime', 'responseTime'] as const).flatMap((name) => {
    const figures = measures[name];
    return figures === null ? [] : [[measureTitles[name], `${spreadText(figures)} ticks${limits(figures)}`]];
  });
  return [
    ...times,
    ...(throughput === null ? [] : [['throughput', `${figure(throughput)} entries per tick`]]),
    ...(electionTime === null
      ? []
      : [
          [
            'election',
            `the winner knows after ${electionTime.least} ticks${limits(electionTime)}, all after ${electionTime.most}`,
          ],
        ]),
    ...(chain === null
      ? []
      : [['chain', `${chain.most} messages, each caused by the one before${limits(chain)}`]]),
    ...sizeRows(measures),
    ...(load === null || load.most === 0
      ? []
      : [
          [
            'load',
            `${spreadText(load)} messages sent or received; ${figure(100 * load.busiestShare)} % at one process`,
          ],
        ]),
  ];
}

/** Returns a row for each kind of message. */
const sizeRows = ({ elements, bits }: Measures): string[][] =>
  Object.entries(elements ?? {}).map(([kind, count]) => {
    const size = bits![kind]!;
    return [
      kind,
      `${spreadText(count)} element${count.most === 1 ? '' : 's'}${limits(count)}; ${spreadText(size)} bits without the type${limits(size)}`,
    ];
  });

/** Returns `mean (least to most)`, or the figure itself if all are the same. */
const spreadText = ({ least, mean, most }: Spread): string =>
  least === most ? figure(least) : `${figure(mean)} (${figure(least)} to ${figure(most)})`;

const figure = (value: number): string => `${Number(value.toPrecision(3))}`;

const limits = ({ bounds }: Judged): string => {
  const texts = bounds.map(limit);
  return texts.length === 0 ? '' : `, ${texts.join(', ')}`;
};

function limit({ formula, atLeast, atMost }: AppliedBound): string {
  if (atLeast !== null && atMost !== null) return `must be ${formula}`;
  return `${atLeast === null ? 'at most' : 'at least'} ${formula}`;
}
