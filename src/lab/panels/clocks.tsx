import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { clockColour, drawClockErrors } from '../canvas/draw-clock-errors.ts';
import { referenceClock } from '../canvas/draw-clock-faces.ts';
import { prepareCanvas } from '../canvas/primitives.ts';
import type { LabStore } from '../state/lab-store.ts';
import { processNames, useLab, useLabContext } from '../ui/context.ts';
import { signedMilliseconds } from '../ui/event-text.ts';

const maxListed = 12; // clocks in the table

/** Explains the clock faces and the chart. */
function Legend({ lab }: { readonly lab: LabStore }) {
  const source = referenceClock(lab);
  const truth = source === null ? 'the surest clock' : `that of ${processNames(lab)(source)}`;
  return (
    <p class="quiet">
      Faces: one turn is a second; the thin hand is {truth}; <span class="rim">green</span> on the rim is
      where that is promised to be once the clock is corrected, which <span class="pull">»</span> faster or{' '}
      <span class="pull">«</span> slower running does. Above, what is promised is shaded; in brackets, it is
      promised once the clock is corrected.
    </p>
  );
}

/** Shows the errors of all clocks, now and over time. */
export function ClocksPanel() {
  const lab = useLab();
  if (lab.run.clocks === null) return null;
  const source = referenceClock(lab);
  return (
    <section class="panel clocks" aria-label="Clocks">
      <h2>Ahead of {source === null ? 'real time' : `the clock of ${processNames(lab)(source)}`}, ms</h2>
      <ClockErrorChart lab={lab} />
      <ClockTable lab={lab} />
      <Legend lab={lab} />
    </section>
  );
}

function ClockErrorChart({ lab }: { readonly lab: LabStore }) {
  const { animationLoop, palette } = useLabContext();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { run } = lab;
  const known = run.events.length;
  const curves = useMemo(
    () => Array.from({ length: Math.min(40, run.setup.n) }, (_, i) => run.clocks!.offsetPoints(i)),
    [run, known],
  );
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => animationLoop.requestFrame());
    observer.observe(box.current!);
    const remove = animationLoop.addPainter(() => {
      const { clocks } = lab.run;
      if (box.current === null || clocks === null) return; // another view is open
      const { clientWidth, clientHeight } = box.current;
      const selected = lab.selection !== null && 'process' in lab.selection ? lab.selection.process : null;
      drawClockErrors(prepareCanvas(canvas.current!, clientWidth, clientHeight), {
        curves,
        palette,
        selected,
        names: (i) => `p${i}`,
        now: clocks.timeAt(lab.cursor),
        end: clocks.timeAt(known),
      });
    });
    return () => {
      observer.disconnect();
      remove();
    };
  }, [curves, palette]);
  return (
    <div class="clock-chart" ref={box}>
      <canvas ref={canvas} role="img" aria-label="The distance of every clock to the truth, against time" />
    </div>
  );
}

function ClockTable({ lab }: { readonly lab: LabStore }) {
  const { palette } = useLabContext();
  const { run, position, selection } = lab;
  const clocks = run.clocks!;
  const now = clocks.timeAt(position);
  const time = position === run.events.length ? (run.endTime ?? now) : now;
  const readings = clocks.readings(position, time);
  const report = clocks.report(position, time);
  const selected = selection !== null && 'process' in selection ? selection.process : -1;
  const listed = report.map((_, i) => i).filter((i) => i < maxListed || i === selected);
  const format = (time: number | null) => (time === null ? '–' : signedMilliseconds(time, 2));
  return (
    <table>
      {time > now && <caption>Once corrected, at {time.toLocaleString('en')} ms</caption>}
      <thead>
        <tr>
          <th scope="col">Clock</th>
          <th scope="col">True offset</th>
          <th scope="col">Estimated</th>
          <th scope="col">Off by</th>
          <th scope="col">At most</th>
        </tr>
      </thead>
      <tbody>
        {listed.map((i) => {
          const { trueOffset, estimatedOffset, error, promised } = report[i]!;
          const bound = format(promised).replace('+', '');
          return (
            <tr key={i} class={i === selected ? 'selected' : ''}>
              <th scope="row">
                <i style={{ '--colour': clockColour(palette, i) }} />
                {processNames(lab)(i)}
              </th>
              <td>{format(trueOffset)}</td>
              <td>{format(estimatedOffset)}</td>
              <td>{format(error)}</td>
              <td>{readings[i]!.isSettled ? bound : <span class="quiet">({bound})</span>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
