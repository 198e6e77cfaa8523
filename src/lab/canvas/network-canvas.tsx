import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { algorithmInfo } from '../../catalogue/index.ts';
import type { Pid } from '../../core/algorithm.ts';
import type { Topology } from '../../core/topology.ts';
import { networkLayout, type TracedMessage } from '../../diagram/index.ts';
import { ActionsPanel } from '../panels/actions.tsx';
import type { LabStore } from '../state/lab-store.ts';
import { kindsOf, useLab, useLabContext } from '../ui/context.ts';
import { ZoomButtons } from '../ui/zoom-buttons.tsx';
import { dialsOf, referenceClock } from './draw-clock-faces.ts';
import { drawNetwork, fitViewport, hitTest, type NetworkView, type Viewport } from './draw-network.ts';
import { drawMemory, fitMemoryViewport, layoutMemory, type MemoryLayout } from './draw-register-boxes.ts';
import { prepareCanvas } from './primitives.ts';

const maxLinks = 4000; // drawn at once

/** Returns the links to draw, each pair once; none if there are too many. */
function linksOf(topology: Topology): (readonly [Pid, Pid])[] {
  if (topology.edges > maxLinks || (topology.whole.complete && topology.n > 40)) return [];
  const links: (readonly [Pid, Pid])[] = [];
  for (let i = 0; i < topology.n; i += 1) {
    for (const j of topology.neighbours(i)) {
      const isTwoWay = topology.link(j, i) >= 0;
      if (i !== j && (i < j || !isTwoWay)) links.push([i, j]);
    }
  }
  return links;
}

/** The part of the view that stays the same during a run. */
interface StaticNetworkView
  extends Omit<NetworkView, 'viewport' | 'palette' | 'missingLinks' | 'selection' | 'dials'> {
  readonly runVersion: number;
  readonly memory: MemoryLayout | null;
}

function useStaticNetworkView(lab: LabStore): StaticNetworkView {
  const { setup, head, traceIndex } = lab.run;
  const { topology, root } = setup;
  const registers = traceIndex.registers.names;
  const shape = [
    head.topology,
    setup.n,
    root,
    head.topology?.startsWith('random') && setup.seed,
    ...registers,
  ].join();
  const memory = useMemo(() => (registers.length > 0 ? layoutMemory(setup.n, registers) : null), [shape]);
  const positions = useMemo(() => memory?.processes ?? networkLayout(topology, root), [shape]);
  return useMemo(() => {
    const { token } = algorithmInfo(lab.algorithm);
    const tokens = new Map<number, boolean>(); // whether a message carries the token, by its serial number
    const isToken = ({ serial, message }: TracedMessage) => {
      if (token && !tokens.has(serial)) tokens.set(serial, token.isIn(message));
      return tokens.get(serial) ?? false;
    };
    return {
      state: lab,
      positions,
      memory,
      cell: memory?.cell,
      runVersion: lab.runVersion,
      links: linksOf(topology),
      oneWay: topology.isRing && topology.whole.degree(0) === 1,
      kinds: kindsOf(lab),
      labels: Array.from({ length: setup.n }, (_, i) => `${head.ids ? setup.ids[i] : i}`),
      isToken,
      hasToken: (process) => token?.isHeld(lab.run.stateAt(process, Math.floor(lab.cursor))) ?? false,
    };
  }, [lab, lab.runVersion]);
}

function isRound({ run: { setup } }: LabStore): boolean {
  const { isRing, complete, name } = setup.topology.whole;
  return isRing || complete || name === 'ring';
}

/** Describes the picture for screen readers. */
function accessibleLabel({ run: { setup }, traceIndex: { registers }, position }: LabStore): string {
  if (registers.names.length === 0) return `${setup.n} processes on a ${setup.topology.name} network`;
  const held = registers.names.map((name, k) => `${name} = ${registers.valueAt(k, position)}`);
  return `${setup.n} processes and ${held.length <= 12 ? held.join(', ') : `${held.length} registers`}`;
}

export function NetworkCanvas() {
  const lab = useLab();
  const { animationLoop, palette } = useLabContext();
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport | null>(null); // null: fits the canvas
  const staticView = useStaticNetworkView(lab);
  const what = staticView.memory ? 'memory' : 'network';
  const sized = () => ({ width: box.current!.clientWidth, height: box.current!.clientHeight });
  const viewNow = (): NetworkView => {
    const { width, height } = sized();
    const { clocks } = lab.run;
    const fitted = staticView.memory
      ? fitMemoryViewport(width, height, staticView.memory)
      : fitViewport(width, height, isRound(lab), clocks !== null);
    const shown = viewport.current ?? fitted;
    const missingLinks = lab.traceIndex.missingLinksAt(Math.floor(lab.cursor));
    const dials = clocks && dialsOf(clocks, lab.cursor, referenceClock(lab));
    return { ...staticView, viewport: shown, palette, missingLinks, dials, selection: lab.selection };
  };
  useLayoutEffect(() => {
    const paint = () => {
      if (staticView.runVersion !== lab.runVersion) return; // the next render draws the new run
      if (box.current === null) return; // another view is open
      const area = prepareCanvas(canvas.current!, sized().width, sized().height);
      drawNetwork(area, viewNow());
      if (staticView.memory) drawMemory(area, viewNow(), staticView.memory, lab.traceIndex.registers);
    };
    const observer = new ResizeObserver(() => animationLoop.requestFrame());
    observer.observe(box.current!);
    const remove = animationLoop.addPainter(paint);
    return () => {
      observer.disconnect();
      remove();
    };
  }, [staticView, palette]);
  useEffect(() => {
    viewport.current = null;
  }, [staticView.positions]);
  const zoom = (by: number, at?: { x: number; y: number }) => {
    const { width, height } = sized();
    viewport.current = zoomed(viewNow().viewport, by, at ?? { x: width / 2, y: height / 2 });
    animationLoop.requestFrame();
  };
  const fit = () => {
    viewport.current = null;
    animationLoop.requestFrame();
  };
  const drag = useDragToPan(viewNow, (moved) => {
    viewport.current = moved;
    animationLoop.requestFrame();
  });
  const pick = (x: number, y: number) =>
    lab.select(hitTest({ context: canvas.current!.getContext('2d')!, ...sized() }, viewNow(), x, y));
  return (
    <section class={`picture network ${what === 'memory' ? what : ''}`} aria-label={`The ${what}`}>
      <div class="canvas-box" ref={box}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={accessibleLabel(lab)}
          onWheel={(event) => {
            event.preventDefault();
            zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, { x: event.offsetX, y: event.offsetY });
          }}
          onPointerDown={drag.down}
          onPointerMove={drag.move}
          onPointerUp={(event) => drag.up(event) || pick(event.offsetX, event.offsetY)}
        />
        <ZoomButtons zoom={zoom} fit={fit} what={what} />
      </div>
      <ActionsPanel />
    </section>
  );
}

const zoomed = (
  { scaleX, scaleY, x, y, zoom }: Viewport,
  by: number,
  at: { x: number; y: number },
): Viewport => {
  const next = Math.min(100, Math.max(0.3, zoom * by));
  const factor = next / zoom;
  return {
    scaleX: scaleX * factor,
    scaleY: scaleY * factor,
    x: at.x - (at.x - x) * factor,
    y: at.y - (at.y - y) * factor,
    zoom: next,
  };
};

/** Moves the picture while the pointer drags it. `up` returns whether it moved. */
function useDragToPan(viewNow: () => NetworkView, move: (viewport: Viewport) => void) {
  const start = useRef<{ x: number; y: number; viewport: Viewport; hasMoved: boolean } | null>(null);
  return {
    down: (event: PointerEvent) => {
      (event.target as Element).setPointerCapture(event.pointerId);
      start.current = { x: event.offsetX, y: event.offsetY, viewport: viewNow().viewport, hasMoved: false };
    },
    move: (event: PointerEvent) => {
      const from = start.current;
      if (!from || event.buttons === 0) return;
      const [dx, dy] = [event.offsetX - from.x, event.offsetY - from.y];
      if (Math.hypot(dx, dy) > 5) from.hasMoved = true;
      if (from.hasMoved) move({ ...from.viewport, x: from.viewport.x + dx, y: from.viewport.y + dy });
    },
    up: (_: PointerEvent) => {
      const hasMoved = start.current?.hasMoved ?? false;
      start.current = null;
      return hasMoved;
    },
  };
}
