import { useRef } from 'preact/hooks';
import type { Demonstration } from '../../live/index.ts';
import { useMedia, useShared } from '../context.ts';
import { areaOf } from '../draw.ts';
import { drawNetwork, fitting, type Moment } from '../draw-network.ts';
import { phaseOf } from './demo.tsx';
import { useFrames } from './frames.ts';
import type { Session } from './session.ts';

const travel = 5; // units: what takes a fraction of a millisecond is shown for so long

/** The processes as in the run view: who holds, who waits, and what they say. */
export function Picture({ session, demo }: { readonly session: Session; readonly demo: Demonstration }) {
  const { palette } = useShared();
  const isStill = useMedia('(prefers-reduced-motion: reduce)');
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { seats } = demo;
  const holder = seats.findIndex((seat) => phaseOf(seat) === 'inside');
  useFrames(demo.isRunning && !session.isFrozen, () => {
    const { clientWidth: width, clientHeight: height } = box.current!;
    const moment = momentOf(session, isStill);
    const { chronicle, kinds } = session.strip;
    const last = chronicle.events[chronicle.entries.at(-1) ?? -1]?.process;
    const isHandedOn = moment.chronicle.onTheWay(0).some(({ kind }) => kind === 'page');
    drawNetwork(areaOf(canvas.current!, width, height), {
      lab: moment,
      palette,
      kinds,
      ...circle(seats.length),
      oneWay: false,
      cut: new Set(),
      frame: fitting(width, height, true),
      labels: seats.map((_, i) => `${i}`),
      isToken: ({ kind }) => kind === 'page',
      hasToken: (process) =>
        process === last && !isHandedOn && !session.isFrozen && seats[process]!.state !== 'dead',
      selection: null,
    });
  });
  return (
    <div class="picture" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${seats.length} processes; ${holder < 0 ? 'nobody' : `p${holder}`} holds the lock`}
      />
    </div>
  );
}

function circle(n: number) {
  const places = Array.from({ length: n }, (_, i) => {
    const angle = (2 * Math.PI * i) / n;
    return { x: 0.5 + Math.sin(angle) / 2, y: 0.5 - Math.cos(angle) / 2 };
  });
  const links = places.flatMap((_, i) => places.slice(0, i).map((_, j) => [j, i] as const));
  return { places, links };
}

function momentOf({ strip, demo, now }: Session, isStill: boolean): Moment {
  const { seats } = demo!;
  const present = strip.units(now);
  const { events } = strip.chronicle;
  const sent = isStill ? [] : strip.sentSince(present - travel).filter(({ from, to }) => from !== to);
  return {
    cursor: 0,
    chronicle: {
      events: [],
      phaseAt: (i) => phaseOf(seats[i]!),
      isPausedAt: (i) => seats[i]!.state === 'stopped',
      onTheWay: () => sent,
    },
    space: {
      present: () => present,
      progress: (message) => Math.max(0, Math.min(1, (present - events[message.sent]!.time) / travel)),
    },
  };
}
