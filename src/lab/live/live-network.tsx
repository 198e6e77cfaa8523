import { useRef } from 'preact/hooks';
import type { Demonstration } from '../../live/index.ts';
import { drawNetwork, fitViewport, type NetworkState } from '../canvas/draw-network.ts';
import { prepareCanvas } from '../canvas/primitives.ts';
import { useLabContext } from '../ui/context.ts';
import { useAnimationFrames } from '../ui/use-animation-frames.ts';
import { useMedia } from '../ui/use-media.ts';
import { type LiveSession, livePhaseOf } from './live-session.ts';

const travelUnits = 5; // a message takes less than a millisecond, but is shown this long

/** Draws the processes and their messages as in the run view. */
export function LiveNetworkCanvas({
  session,
  demo,
}: {
  readonly session: LiveSession;
  readonly demo: Demonstration;
}) {
  const { palette } = useLabContext();
  const isStill = useMedia('(prefers-reduced-motion: reduce)');
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { seats } = demo;
  const holder = seats.findIndex((process) => livePhaseOf(process) === 'inside');
  useAnimationFrames(demo.isRunning && !session.isFrozen, () => {
    const { clientWidth: width, clientHeight: height } = box.current!;
    const state = networkStateOf(session, isStill);
    const { traceIndex, kinds } = session.eventWindow;
    const last = traceIndex.events[traceIndex.entries.at(-1) ?? -1]?.process;
    const isTokenInFlight = state.traceIndex.inFlightAt(0).some(({ kind }) => kind === 'page');
    drawNetwork(prepareCanvas(canvas.current!, width, height), {
      state,
      palette,
      kinds,
      ...circle(seats.length),
      oneWay: false,
      missingLinks: new Set(),
      viewport: fitViewport(width, height, true),
      labels: seats.map((_, i) => `${i}`),
      isToken: ({ kind }) => kind === 'page',
      hasToken: (process) =>
        process === last && !isTokenInFlight && !session.isFrozen && seats[process]!.state !== 'dead',
      selection: null,
    });
  });
  return (
    <div class="picture" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${seats.length} processes; ${holder < 0 ? 'nobody' : `p${holder}`} ${demo.algorithm === null ? 'holds the lock' : 'leads'}`}
      />
    </div>
  );
}

function circle(n: number) {
  const positions = Array.from({ length: n }, (_, i) => {
    const angle = (2 * Math.PI * i) / n;
    return { x: 0.5 + Math.sin(angle) / 2, y: 0.5 - Math.cos(angle) / 2 };
  });
  const links = positions.flatMap((_, i) => positions.slice(0, i).map((_, j) => [j, i] as const));
  return { positions, links };
}

function networkStateOf({ eventWindow, demo, now }: LiveSession, isStill: boolean): NetworkState {
  const { seats } = demo!;
  const present = eventWindow.units(now);
  const { events } = eventWindow.traceIndex;
  const sent = isStill
    ? []
    : eventWindow.sentSince(present - travelUnits).filter(({ from, to }) => from !== to);
  return {
    cursor: 0,
    traceIndex: {
      events: [],
      phaseAt: (i) => livePhaseOf(seats[i]!),
      isPausedAt: (i) => seats[i]!.state === 'stopped',
      inFlightAt: () => sent,
      overlaps: [],
    },
    spaceTime: {
      present: () => present,
      progress: (message) => Math.max(0, Math.min(1, (present - events[message.sent]!.time) / travelUnits)),
    },
  };
}
