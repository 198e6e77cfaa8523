import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface PlotPanelProps {
  readonly name: string;
  readonly draw: (width: number) => string;
}

const [minWidth, maxWidth] = [320, 1080];

/** Renders a figure in a shadow root. The content policy allows its styles only as a style sheet object. */
export function PlotPanel({ name, draw }: PlotPanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);
  const svg = width > 0 ? draw(Math.max(minWidth, Math.min(width, maxWidth))) : '';
  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const [style = '', css = ''] = /<style>([\s\S]*?)<\/style>/.exec(svg) ?? [];
    if (root.adoptedStyleSheets.length === 0 && css !== '') {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css + figureStyles);
      root.adoptedStyleSheets = [sheet];
    }
    root.innerHTML = svg.replace(style, '');
  }, [svg]);
  return (
    <section class="panel figure" aria-label={name} tabIndex={0}>
      <div ref={host} />
    </section>
  );
}

const figureStyles = `
:host { display: block; min-height: 260px }
svg.chart { display: block; width: 100%; height: auto; fill: var(--ink) }
.chart .paper { fill: var(--paper) }
.chart .about, .chart .axis, .chart .tick, .chart .formula { fill: var(--quiet) }
.chart .grid { stroke: var(--line) }
.chart .fine { stroke: color-mix(in srgb, var(--line) 45%, transparent) }
.chart .curve { stroke: var(--ink) }
.chart .exactly { stroke: var(--line) }
.chart .guide { stroke: var(--quiet) }
.chart .guide-label { fill: var(--quiet); stroke: var(--paper) }
.chart [stroke="#0072b2"] { stroke: light-dark(#0072b2, #4a9fd8) }
.chart [fill="#0072b2"] { fill: light-dark(#0072b2, #4a9fd8) }
.chart [stroke="#444444"] { stroke: var(--quiet) }
.chart [fill="#444444"] { fill: var(--quiet) }
`;
