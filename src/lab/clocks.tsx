import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { about } from '../catalogue/index.ts';
import type { Pid } from '../core/algorithm.ts';
import { nameOf, useLab, useShared } from './context.ts';
import { areaOf } from './draw.ts';
import { colourOf, drawStrip } from './draw-clocks.ts';
import type { Lab } from './lab.ts';
import { signed } from './words.ts';

const few = 12; // clocks that are told one by one

/** Whose clock is right; null where they are only to agree. */
export const sourceOf = ({ algorithm, show: { setup } }: Lab): Pid | null =>
  about(algorithm).synchronises?.to === 'root' ? setup.root : null;

/** What a face on the network, and the picture above, mean. */
function Legend({ lab }: { readonly lab: Lab }) {
  const source = sourceOf(lab);
  const truth = source === null ? 'the surest clock' : `that of ${nameOf(lab)(source)}`;
  return (
    <p class="quiet">
      Faces: one turn is a second; the thin hand is {truth}; <span class="rim">green</span> on the rim is
      where that is promised to be once the clock is corrected, which <span class="pull">»</span> faster or{' '}
      <span class="pull">«</span> slower running does. Above, what is promised is shaded; in brackets, it is
      promised once the clock is corrected.
    </p>
  );
}

/** The clocks of the run: how far they are from the truth, by now and all along. */
export function Clocks() {
  const lab = useLab();
  if (lab.show.clocks === null) return null;
  const source = sourceOf(lab);
  return (
    <section class="panel clocks" aria-label="Clocks">
      <h2>Ahead of {source === null ? 'real time' : `the clock of ${nameOf(lab)(source)}`}, ms</h2>
      <Strip lab={lab} />
      <Report lab={lab} />
      <Legend lab={lab} />
    </section>
  );
}

function Strip({ lab }: { readonly lab: Lab }) {
  const { painter, palette } = useShared();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { show } = lab;
  const known = show.events.length;
  const curves = useMemo(
    () => Array.from({ length: Math.min(40, show.setup.n) }, (_, i) => show.clocks!.bends(i)),
    [show, known],
  );
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => painter.wake());
    observer.observe(box.current!);
    const remove = painter.add(() => {
      const { clocks } = lab.show;
      if (box.current === null || clocks === null) return; // another view has taken its place
      const { clientWidth, clientHeight } = box.current;
      const selected = lab.selection !== null && 'process' in lab.selection ? lab.selection.process : null;
      drawStrip(areaOf(canvas.current!, clientWidth, clientHeight), {
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
    <div class="strip" ref={box}>
      <canvas ref={canvas} role="img" aria-label="The distance of every clock to the truth, against time" />
    </div>
  );
}

function Report({ lab }: { readonly lab: Lab }) {
  const { palette } = useShared();
  const { show, position, selection } = lab;
  const clocks = show.clocks!;
  const now = clocks.timeAt(position);
  const time = position === show.events.length ? (show.overAt ?? now) : now;
  const faces = clocks.faces(position, time);
  const report = clocks.report(position, time);
  const selected = selection !== null && 'process' in selection ? selection.process : -1;
  const told = report.map((_, i) => i).filter((i) => i < few || i === selected);
  const shown = (time: number | null) => (time === null ? '–' : signed(time, 2));
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
        {told.map((i) => {
          const { trueOffset, estimatedOffset, error, promised } = report[i]!;
          const most = shown(promised).replace('+', '');
          return (
            <tr key={i} class={i === selected ? 'selected' : ''}>
              <th scope="row">
                <i style={{ '--colour': colourOf(palette, i) }} />
                {nameOf(lab)(i)}
              </th>
              <td>{shown(trueOffset)}</td>
              <td>{shown(estimatedOffset)}</td>
              <td>{shown(error)}</td>
              <td>{faces[i]!.isSettled ? most : <span class="quiet">({most})</span>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
