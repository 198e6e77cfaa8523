import { useEffect, useRef, useState } from 'preact/hooks';
import type { TraceEvent } from '../../core/trace.ts';
import type { Demonstration } from '../../live/index.ts';
import { drawSpaceTime } from '../canvas/draw-spacetime.ts';
import { prepareCanvas } from '../canvas/primitives.ts';
import { axisHeight, gutterWidth } from '../canvas/spacetime-pen.ts';
import { useLabContext } from '../ui/context.ts';
import { eventSentence, outputTexts, traceNames } from '../ui/event-text.ts';
import { KindSwatch } from '../ui/kind-swatch.tsx';
import { SpacingChoice } from '../ui/spacing-choice.tsx';
import { useAnimationFrames } from '../ui/use-animation-frames.ts';
import { ZoomButtons } from '../ui/zoom-buttons.tsx';
import type { LiveSession } from './live-session.ts';

const defaultUnit = { even: 30, time: 10 } as const; // pixels per unit at zoom 1
const margin = 60; // to the right of the present

interface Props {
  readonly session: LiveSession;
  readonly demo: Demonstration;
}

/** Draws the events that the processes report: one lane each, the present at the right. */
export function LiveSpaceTimeCanvas({ session, demo }: Props) {
  const [zoom, setZoom] = useState(1);
  const { eventWindow, isFrozen } = session;
  const box = useRef<HTMLElement>(null);
  const change = (by: number) => setZoom(Math.min(4, Math.max(0.1, zoom * by)));
  const fit = () => {
    const room = box.current!.clientWidth - gutterWidth - margin;
    setZoom(
      Math.max(
        0.02,
        Math.min(1, room / (eventWindow.spaceTime.width * defaultUnit[eventWindow.spacing] || 1)),
      ),
    );
  };
  return (
    <section class="picture strip" aria-label="Their space-time diagram">
      <div class="head">
        <button type="button" aria-pressed={isFrozen} onClick={() => session.toggleFrozen()}>
          {isFrozen ? 'Go on' : 'Hold still'}
        </button>
        <SpacingChoice
          name="live-spacing"
          spacing={eventWindow.spacing}
          set={(spacing) => {
            session.eventWindow.setSpacing(spacing);
            session.notify();
          }}
        />
        <ZoomButtons zoom={change} fit={fit} what="diagram" />
        <Legend session={session} />
      </div>
      <Lanes session={session} demo={demo} box={box} unit={defaultUnit[eventWindow.spacing] * zoom} />
    </section>
  );
}

/** Lists the kinds of messages sent so far. */
const Legend = ({ session: { eventWindow } }: { readonly session: LiveSession }) => (
  <ul class="legend">
    {eventWindow.kinds.map((kind, k) =>
      eventWindow.traceIndex.sendsOfKind.has(kind) ? (
        <li key={kind}>
          <KindSwatch k={k} kind={kind} /> {kind}
        </li>
      ) : null,
    )}
  </ul>
);

function Lanes({
  session,
  demo,
  box,
  unit,
}: Props & { readonly box: { current: HTMLElement | null }; readonly unit: number }) {
  const { palette } = useLabContext();
  const canvas = useRef<HTMLCanvasElement>(null);
  const extent = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [, resized] = useState(0);
  const { eventWindow, isFrozen } = session;
  const { traceIndex } = eventWindow;
  const n = Math.max(1, traceIndex.n);
  const laneIn = (height: number) => Math.max(22, Math.min(56, (height - axisHeight - 6) / n));
  const paint = () => {
    if (box.current === null) return; // it scrolled while it was being removed
    const { clientWidth, clientHeight } = box.current;
    if (!isFrozen && demo.isRunning) eventWindow.advanceTo(session.now);
    const lane = laneIn(clientHeight);
    extent.current!.style.width = `${gutterWidth + 16 + margin + eventWindow.spaceTime.width * unit}px`;
    extent.current!.style.height = `${axisHeight + n * lane}px`;
    if (!isFrozen) box.current.scrollLeft = box.current.scrollWidth;
    const { scrollLeft: left, scrollTop: top } = box.current;
    const [position, names] = [traceIndex.events.length, (i: number) => `p${i}`];
    drawSpaceTime(prepareCanvas(canvas.current!, clientWidth, clientHeight), {
      ...{
        spaceTime: eventWindow.spaceTime,
        kinds: eventWindow.kinds,
        palette,
        names,
        position,
        cursor: position,
      },
      ...{ hovered, selected: null, unit, lane, left, top },
      timeText: (units) => (eventWindow.spacing === 'time' ? eventWindow.seconds(units) : `${units}`),
    });
  };
  useAnimationFrames(demo.isRunning && !isFrozen, paint);
  useEffect(() => {
    const observer = new ResizeObserver(() => resized((count) => count + 1));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const point = (event: MouseEvent) => {
    const { scrollLeft, scrollTop, clientHeight } = box.current!;
    const x = (event.offsetX - gutterWidth - 16 + scrollLeft) / unit;
    const y = (event.offsetY - axisHeight + scrollTop) / laneIn(clientHeight) - 0.5;
    setHovered(isFrozen ? eventWindow.spaceTime.nearest(x, y, Math.max(0.45, 9 / unit), 0.45) : null);
  };
  const hoveredEvent = hovered === null ? undefined : traceIndex.events[hovered];
  return (
    <>
      <section
        class="scroller"
        ref={box}
        tabIndex={0}
        aria-label="Space-time diagram, scrolls"
        onScroll={paint}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${traceIndex.events.length} events, one lane for each of ${traceIndex.n} processes`}
          onMouseMove={point}
          onMouseLeave={() => setHovered(null)}
        />
        <div class="extent" ref={extent} />
      </section>
      {isFrozen && hoveredEvent && (
        <div class="hint">
          {liveEventText(hoveredEvent)} <span class="quiet">{eventWindow.seconds(hoveredEvent.time)}</span>
        </div>
      )}
    </>
  );
}

const timerTexts: Readonly<Record<string, string>> = {
  view: 'hears of a new view',
  granted: 'has its turn',
  timeout: 'has waited long enough',
};

const inputTexts: Readonly<Record<string, string>> = {
  crash: 'dies',
  pause: 'is stopped',
  resume: 'goes on',
  restart: 'begins anew, as another member',
  lose: 'never gets a message',
};

function liveEventText(event: TraceEvent): string {
  const { input } = event;
  const inputText = input.kind === 'timer' ? timerTexts[input.message.type] : inputTexts[input.kind];
  if (inputText === undefined) return eventSentence(event, traceNames);
  return `${[`p${event.process} ${inputText}`, ...outputTexts(event.outputs, traceNames)].join(', ')}.`;
}
