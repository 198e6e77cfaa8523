// The measures of a run as rows of a table.
import type { Measured } from '../../core/algorithm.ts';
import type { AppliedBound, Judged, Measures, Run, Spread } from '../../sim/index.ts';

export const measureTitles: Readonly<Record<Measured, string>> = {
  messages: 'messages',
  synchronisationDelay: 'delay',
  waitingTime: 'waiting',
  tokenHops: 'token hops',
  responseTime: 'response',
  throughput: 'throughput',
  electionTime: 'election time',
  electionEnd: 'end of the election',
  chain: 'chain',
  elements: 'elements',
  bits: 'bits',
  totalBits: 'bits in all',
  load: 'load',
};

/** Returns a row for each measure that applies. */
export function measureRows({ measures }: Run): string[][] {
  if (measures === null) return [];
  const { electionTime, chain, throughput, totalBits, load, boundsOn } = measures;
  const times = (['synchronisationDelay', 'waitingTime', 'responseTime'] as const).flatMap((name) => {
    const figures = measures[name];
    return figures === null ? [] : [[measureTitles[name], `${spreadText(figures)} ticks${limits(figures)}`]];
  });
  const { tokenHops } = measures;
  return [
    ...times,
    ...(tokenHops === null
      ? []
      : [['token hops', `${spreadText(tokenHops)} from a request to its entry${limits(tokenHops)}`]]),
    ...(throughput === null
      ? []
      : [['throughput', `${figure(throughput)} entries per tick${limits({ bounds: boundsOn.throughput })}`]]),
    ...(electionTime === null
      ? []
      : [
          [
            'election',
            [
              ...(electionTime.winner === null
                ? []
                : [
                    `the winner knows after ${electionTime.winner} ticks${limitsOn('electionTime', electionTime)}`,
                  ]),
              `all after ${electionTime.most}${limitsOn('electionEnd', electionTime)}`,
            ].join(', '),
          ],
        ]),
    ...(chain === null
      ? []
      : [['chain', `${chain.most} messages, each caused by the one before${limits(chain)}`]]),
    ...sizeRows(measures),
    ...(totalBits === null || totalBits === 0
      ? []
      : [['bits', `${figure(totalBits)} in all messages${limits({ bounds: boundsOn.totalBits })}`]]),
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
      `${spreadText(count)} element${count.most === 1 ? '' : 's'}${limits(count)}; ${spreadText(size)} bit${size.most === 1 ? '' : 's'} without the type${limits(size)}`,
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

const limitsOn = (measure: Measured, { bounds }: Judged): string =>
  limits({ bounds: bounds.filter((bound) => bound.measure === measure) });

function limit({ formula, atLeast, atMost }: AppliedBound): string {
  if (atLeast !== null && atMost !== null) return `must be ${formula}`;
  return `${atLeast === null ? 'at most' : 'at least'} ${formula}`;
}
