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

const mostLinks = 4000; // drawn

/** Pairs to draw a line between. */
function linksOf(topology: Topology): (readonly [Pid, Pid])[] {
  if (topology.edges > mostLinks || (topology.complete && topology.n > 40)) return [];
  const links: (readonly [Pid, Pid])[] = [];
  for (let i = 0; i < topology.n; i += 1) {
    for (const j of topology.neighbours(i)) {
      const isBack = topology.link(j, i) >= 0;
      if (i !== j && (i < j || !isBack)) links.push([i, j]);
    }
  }
  return links;
}

/** Everything about the picture that does not change while a run goes on. */
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
    const tokens = new Map<number, boolean>(); // by serial number: whether the message carries the token
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
      oneWay: topology.isRing && topology.degree(0) === 1,
      kinds: kindsOf(lab),
      labels: Array.from({ length: setup.n }, (_, i) => `${head.ids ? setup.ids[i] : i}`),
      isToken,
      hasToken: (process) => token?.isHeld(lab.run.stateAt(process, Math.floor(lab.cursor))) ?? false,
    };
  }, [lab, lab.runVersion]);
}

function isRound({ run: { setup } }: LabStore): boolean {
  const { isRing, complete, name } = setup.topology;
  return isRing || complete || name === 'ring';
}

/** For those who do not see it. */
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
  const frame = useRef<Viewport | null>(null); // null: all of it
  const scenery = useStaticNetworkView(lab);
  const what = scenery.memory ? 'memory' : 'network';
  const sized = () => ({ width: box.current!.clientWidth, height: box.current!.clientHeight });
  const viewNow = (): NetworkView => {
    const { width, height } = sized();
    const { clocks } = lab.run;
    const whole = scenery.memory
      ? fitMemoryViewport(width, height, scenery.memory)
      : fitViewport(width, height, isRound(lab), clocks !== null);
    const shown = frame.current ?? whole;
    const cut = lab.traceIndex.missingLinksAt(Math.floor(lab.cursor));
    const dials = clocks && dialsOf(clocks, lab.cursor, referenceClock(lab));
    return { ...scenery, viewport: shown, palette, missingLinks: cut, dials, selection: lab.selection };
  };
  useLayoutEffect(() => {
    const paint = () => {
      if (scenery.runVersion !== lab.runVersion) return; // the next one is about to come
      if (box.current === null) return; // another view has taken its place
      const area = prepareCanvas(canvas.current!, sized().width, sized().height);
      drawNetwork(area, viewNow());
      if (scenery.memory) drawMemory(area, viewNow(), scenery.memory, lab.traceIndex.registers);
    };
    const observer = new ResizeObserver(() => animationLoop.requestFrame());
    observer.observe(box.current!);
    const remove = animationLoop.addPainter(paint);
    return () => {
      observer.disconnect();
      remove();
    };
  }, [scenery, palette]);
  useEffect(() => {
    frame.current = null;
  }, [scenery.positions]);
  const zoom = (by: number, at?: { x: number; y: number }) => {
    const { width, height } = sized();
    frame.current = zoomed(viewNow().viewport, by, at ?? { x: width / 2, y: height / 2 });
    animationLoop.requestFrame();
  };
  const fit = () => {
    frame.current = null;
    animationLoop.requestFrame();
  };
  const gestures = useDragToPan(viewNow, (moved) => {
    frame.current = moved;
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
          onPointerDown={gestures.down}
          onPointerMove={gestures.move}
          onPointerUp={(event) => gestures.up(event) || pick(event.offsetX, event.offsetY)}
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

/** Dragging moves the picture; `up` says whether it did. */
function useDragToPan(viewNow: () => NetworkView, move: (frame: Viewport) => void) {
  const start = useRef<{ x: number; y: number; frame: Viewport; hasMoved: boolean } | null>(null);
  return {
    down: (event: PointerEvent) => {
      (event.target as Element).setPointerCapture(event.pointerId);
      start.current = { x: event.offsetX, y: event.offsetY, frame: viewNow().viewport, hasMoved: false };
    },
    move: (event: PointerEvent) => {
      const from = start.current;
      if (!from || event.buttons === 0) return;
      const [dx, dy] = [event.offsetX - from.x, event.offsetY - from.y];
      if (Math.hypot(dx, dy) > 5) from.hasMoved = true;
      if (from.hasMoved) move({ ...from.frame, x: from.frame.x + dx, y: from.frame.y + dy });
    },
    up: (_: PointerEvent) => {
      const hasMoved = start.current?.hasMoved ?? false;
      start.current = null;
      return hasMoved;
    },
  };
}
