import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { delayText } from '../../diagram/delays.ts';
import { boundsOnMeasure, isAbove, isBelow } from '../../sim/measures/judged-bounds.ts';
import type { LabStore } from '../state/lab-store.ts';
import { eventNames, kindsOf, processNames, useLab, useLabContext } from '../ui/context.ts';
import { eventSentence } from '../ui/event-text.ts';
import { drawSpaceTime } from './draw-spacetime.ts';
import { prepareCanvas } from './primitives.ts';
import { axisHeight, type DelayMarks, gutterWidth, type SpaceTimeView } from './spacetime-pen.ts';

const defaultUnit = { even: 34, time: 14 } as const; // pixels per unit at zoom 1

const unitOf = ({ spacing, zoom, spaceTime }: LabStore, width: number): number =>
  zoom === 'fit'
    ? Math.max(0.5, Math.min(defaultUnit[spacing], (width - gutterWidth - 50) / Math.max(1, spaceTime.width)))
    : defaultUnit[spacing] * zoom;

/** Draws one lane per process, time to the right. An empty element scrolls; the canvas stays and draws the visible part. */
export function SpaceTimeCanvas() {
  const lab = useLab();
  const scroller = useRef<HTMLElement>(null);
  const [size, setSize] = useState({ width: 600, height: 240 });
  const lanes = lab.run.setup.n + lab.traceIndex.registers.names.length;
  const unit = unitOf(lab, size.width);
  const lane = Math.max(22, Math.min(64, (size.height - axisHeight - 6) / lanes));
  useEffect(() => {
    const box = scroller.current!;
    const observer = new ResizeObserver(() => setSize({ width: box.clientWidth, height: box.clientHeight }));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const extent = {
    width: `${gutterWidth + 60 + lab.spaceTime.width * unit}px`,
    height: `${axisHeight + lanes * lane}px`,
  };
  return (
    <section class="picture spacetime" aria-label="The space-time diagram">
      <Scroller box={scroller} unit={unit} lane={lane} extent={extent} />
      <EventTooltip />
    </section>
  );
}

interface ScrollerProps {
  readonly box: { current: HTMLElement | null };
  readonly unit: number;
  readonly lane: number;
  readonly extent: { readonly width: string; readonly height: string };
}

function Scroller({ box, unit, lane, extent }: ScrollerProps) {
  const lab = useLab();
  const { animationLoop, palette } = useLabContext();
  const canvas = useRef<HTMLCanvasElement>(null);
  const followed = useRef(-1);
  const { n } = lab.run.setup;
  useLayoutEffect(
    () =>
      animationLoop.addPainter(() => {
        if (box.current === null) return; // another view is open
        if (lab.cursor !== followed.current) {
          follow(box.current!, lab.spaceTime.present(lab.cursor) * unit);
          const acting = lab.traceIndex.events[lab.position - 1]?.process ?? 0;
          if (!lab.isPlaying) followDown(box.current!, acting * lane, lane);
        }
        followed.current = lab.cursor;
        const { clientWidth, clientHeight, scrollLeft: left, scrollTop: top } = box.current!;
        const view = { ...spaceTimeViewOf(lab), palette, unit, lane, left, top };
        drawSpaceTime(prepareCanvas(canvas.current!, clientWidth, clientHeight), view);
      }),
    [lab.runVersion, lab.spaceTime, palette, unit, lane],
  );
  const at = (event: MouseEvent) => {
    const { scrollLeft, scrollTop } = box.current!;
    const x = (event.offsetX - gutterWidth - 16 + scrollLeft) / unit;
    const y = (event.offsetY - axisHeight + scrollTop) / lane - 0.5;
    return { x, y, event: lab.spaceTime.nearest(x, y, Math.max(0.45, 9 / unit), 0.45) };
  };
  const click = (event: MouseEvent) => {
    const point = at(event);
    const process = Math.round(point.y);
    lab.play(false);
    if (point.event !== null) lab.goTo(point.event + 1);
    else if (event.offsetX > gutterWidth) lab.goTo(lab.spaceTime.positionAt(point.x));
    const isLane = point.event !== null || event.offsetX <= gutterWidth;
    if (isLane && process >= 0 && process < n) lab.select({ process });
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    lab.zoomTo((unit / defaultUnit[lab.spacing]) * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  };
  return (
    <section
      class="scroller"
      ref={box}
      onScroll={() => animationLoop.requestFrame()}
      tabIndex={0}
      aria-label="Space-time diagram, scrolls"
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${lab.position} of ${lab.run.events.length} events, one lane for each of ${n} processes`}
        onMouseMove={(event) => lab.hover(at(event).event)}
        onMouseLeave={() => lab.hover(null)}
        onClick={click}
        onWheel={wheel}
      />
      <div class="extent" style={extent} />
    </section>
  );
}

const spaceTimeViewOf = (
  lab: LabStore,
): Omit<SpaceTimeView, 'palette' | 'unit' | 'lane' | 'left' | 'top'> => ({
  spaceTime: lab.spaceTime,
  cut: lab.run.cut,
  delays: delayMarksOf(lab),
  kinds: kindsOf(lab),
  names: processNames(lab),
  position: lab.position,
  cursor: lab.cursor,
  hovered: lab.hovered,
  selected: lab.selection !== null && 'process' in lab.selection ? lab.selection.process : null,
});

/** Labels delays in ticks, and in units of T if every message takes T. */
function delayMarksOf({ run }: LabStore): DelayMarks {
  const bounds = boundsOnMeasure(run.measures.plan.bounds, 'synchronisationDelay');
  return {
    text: (ticks) => delayText(ticks, run.messageTime),
    isBroken: (ticks) =>
      bounds.some(({ atLeast, atMost }) => isAbove(ticks, atMost) || isBelow(ticks, atLeast)),
  };
}

/** Scrolls to keep the present visible. */
function follow(box: HTMLElement, present: number): void {
  const room = box.clientWidth - gutterWidth - 60;
  const x = present - box.scrollLeft;
  if (x > room * 0.8) box.scrollLeft = present - room * 0.8;
  else if (x < room * 0.1) box.scrollLeft = Math.max(0, present - room * 0.4);
}

/** Scrolls to the lane of the acting process. */
function followDown(box: HTMLElement, y: number, lane: number): void {
  const [top, room] = [box.scrollTop, box.clientHeight - axisHeight - lane];
  if (y < top || y > top + room) box.scrollTop = y - room / 2;
}

/** Describes the event under the pointer, with its Lamport and vector time. */
function EventTooltip() {
  const lab = useLab();
  const event = lab.hovered === null ? undefined : lab.traceIndex.events[lab.hovered];
  if (!event) return null;
  const { past } = lab.traceIndex.cone(lab.hovered!);
  return (
    <div class="hint">
      {eventSentence(event, eventNames(lab))} <span class="quiet">time {event.time}</span>{' '}
      <span class="quiet">Lamport</span> <code>{lab.traceIndex.lamportTime(lab.hovered!)}</code>
      {past.length <= 12 && (
        <>
          {' '}
          <span class="quiet">vector</span> <code>[{past.join(', ')}]</code>
        </>
      )}
    </div>
  );
}
