import { useEffect, useRef, useState } from 'preact/hooks';
import type { TraceEvent } from '../../core/trace.ts';
import type { Demonstration } from '../../live/index.ts';
import { useShared } from '../context.ts';
import { Swatch } from '../counters.tsx';
import { areaOf } from '../draw.ts';
import { axis, drawSpaceTime, gutter } from '../draw-spacetime.ts';
import { Zoom } from '../network.tsx';
import { doings, sentence } from '../words.ts';
import { useFrames } from './frames.ts';
import type { Session } from './session.ts';

const usual = { even: 30, time: 10 } as const; // pixels for a unit, unless zoomed
const margin = 60; // to the right of the present

interface Props {
  readonly session: Session;
  readonly demo: Demonstration;
}

/** What the processes did, as they tell it: a lane each, the present at the right. */
export function StripDiagram({ session, demo }: Props) {
  const [zoom, setZoom] = useState(1);
  const { strip, isFrozen } = session;
  const box = useRef<HTMLElement>(null);
  const change = (by: number) => setZoom(Math.min(4, Math.max(0.1, zoom * by)));
  const fit = () => {
    const room = box.current!.clientWidth - gutter - margin;
    setZoom(Math.max(0.02, Math.min(1, room / (strip.space.width * usual[strip.spacing] || 1))));
  };
  return (
    <section class="picture strip" aria-label="Their space-time diagram">
      <div class="head">
        <button type="button" aria-pressed={isFrozen} onClick={() => session.freeze()}>
          {isFrozen ? 'Go on' : 'Hold still'}
        </button>
        <Spacing session={session} />
        <Zoom zoom={change} fit={fit} what="diagram" />
        <Legend session={session} />
      </div>
      <Lanes session={session} demo={demo} box={box} unit={usual[strip.spacing] * zoom} />
    </section>
  );
}

const Spacing = ({ session }: { readonly session: Session }) => (
  <div class="spacing" role="radiogroup" aria-label="Spacing of events">
    {(['even', 'time'] as const).map((spacing) => (
      <label key={spacing}>
        <input
          type="radio"
          name="live-spacing"
          checked={session.strip.spacing === spacing}
          onChange={() => {
            session.strip.arrange(spacing);
            session.changed();
          }}
        />
        <span>{spacing === 'even' ? 'Step by step' : 'As in time'}</span>
      </label>
    ))}
  </div>
);

/** The kinds of messages that there were. */
const Legend = ({ session: { strip } }: { readonly session: Session }) => (
  <ul class="legend">
    {strip.kinds.map((kind, k) =>
      strip.chronicle.ofKind.has(kind) ? (
        <li key={kind}>
          <Swatch k={k} kind={kind} /> {kind}
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
  const { palette } = useShared();
  const canvas = useRef<HTMLCanvasElement>(null);
  const extent = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [, resized] = useState(0);
  const { strip, isFrozen } = session;
  const { chronicle } = strip;
  const n = Math.max(1, chronicle.n);
  const laneIn = (height: number) => Math.max(22, Math.min(56, (height - axis - 6) / n));
  const paint = () => {
    if (box.current === null) return; // it scrolled when it was about to go
    const { clientWidth, clientHeight } = box.current;
    if (!isFrozen && demo.isRunning) strip.goOn(session.now);
    const lane = laneIn(clientHeight);
    extent.current!.style.width = `${gutter + 16 + margin + strip.space.width * unit}px`;
    extent.current!.style.height = `${axis + n * lane}px`;
    if (!isFrozen) box.current.scrollLeft = box.current.scrollWidth;
    const { scrollLeft: left, scrollTop: top } = box.current;
    const [position, names] = [chronicle.events.length, (i: number) => `p${i}`];
    drawSpaceTime(areaOf(canvas.current!, clientWidth, clientHeight), {
      ...{ space: strip.space, kinds: strip.kinds, palette, names, position, cursor: position },
      ...{ hovered, selected: null, unit, lane, left, top },
      timeText: (units) => (strip.spacing === 'time' ? strip.seconds(units) : `${units}`),
    });
  };
  useFrames(demo.isRunning && !isFrozen, paint);
  useEffect(() => {
    const observer = new ResizeObserver(() => resized((count) => count + 1));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const point = (event: MouseEvent) => {
    const { scrollLeft, scrollTop, clientHeight } = box.current!;
    const x = (event.offsetX - gutter - 16 + scrollLeft) / unit;
    const y = (event.offsetY - axis + scrollTop) / laneIn(clientHeight) - 0.5;
    setHovered(isFrozen ? strip.space.nearest(x, y, Math.max(0.45, 9 / unit), 0.45) : null);
  };
  const told = hovered === null ? undefined : chronicle.events[hovered];
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
          aria-label={`${chronicle.events.length} events, one lane for each of ${chronicle.n} processes`}
          onMouseMove={point}
          onMouseLeave={() => setHovered(null)}
        />
        <div class="extent" ref={extent} />
      </section>
      {isFrozen && told && (
        <div class="hint">
          {wordsOf(told)} <span class="quiet">{strip.seconds(told.time)}</span>
        </div>
      )}
    </>
  );
}

const befallings: Readonly<Record<string, string>> = {
  timer: 'hears of a new view',
  crash: 'dies',
  pause: 'is stopped',
  resume: 'goes on',
  restart: 'begins anew, as another member',
  lose: 'never gets a message',
};

function wordsOf(event: TraceEvent): string {
  const name = (i: number) => `p${i}`;
  const befell = befallings[event.input.kind];
  if (befell === undefined) return sentence(event, name);
  return `${[`p${event.process} ${befell}`, ...doings(event.outputs, name)].join(', ')}.`;
}
