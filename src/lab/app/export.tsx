import { useRef, useState } from 'preact/hooks';
import { titleOf } from '../../catalogue/index.ts';
import { traceText } from '../../core/trace.ts';
import { mermaidDiagram, shivizLog, svgDiagram } from '../../diagram/index.ts';
import { traceOfTimeline } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { kindsOf, processNames, useLab } from '../ui/context.ts';

/** Draws the diagram up to the current position. */
export const svgOf = (lab: LabStore): string =>
  svgDiagram(lab.traceIndex, {
    title: `${titleOf(lab.algorithm)}, n = ${lab.run.setup.n}`,
    names: Array.from({ length: lab.run.setup.n }, (_, i) => processNames(lab)(i)),
    kinds: kindsOf(lab),
    position: lab.position,
    spacing: lab.spacing,
    messageTime: lab.run.messageTime,
  });

/** Renders an SVG picture at three times its size, for print. */
async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = Math.min(3, 16_000 / Math.max(image.width, image.height));
  [canvas.width, canvas.height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), 'image/png'));
}

const exportFormats = {
  svg: {
    label: 'SVG',
    hint: 'the diagram up to here',
    make: async (lab: LabStore) => new Blob([svgOf(lab)], { type: 'image/svg+xml' }),
  },
  png: { label: 'PNG', hint: 'the same, as pixels', make: (lab: LabStore) => pngOf(svgOf(lab)) },
  mmd: {
    label: 'Mermaid',
    hint: 'a sequence diagram',
    make: async (lab: LabStore) => new Blob([mermaidDiagram(traceOfTimeline(lab.run))]),
  },
  log: {
    label: 'ShiViz',
    hint: 'a log with vector clocks',
    make: async (lab: LabStore) => new Blob([shivizLog(traceOfTimeline(lab.run))]),
  },
  trace: {
    label: 'Trace',
    hint: 'for baton replay, and for this page',
    make: async (lab: LabStore) => new Blob([traceText(traceOfTimeline(lab.run))]),
  },
} as const;

async function save(lab: LabStore, format: keyof typeof exportFormats): Promise<void> {
  const blob = await exportFormats[format].make(lab);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${lab.algorithm.name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies a permalink of the page. */
export function ShareButton() {
  const lab = useLab();
  const [label, setLabel] = useState('Share');
  const copy = async () => {
    if (lab.run.isRecorded) await lab.run.pack();
    const { permalink } = lab;
    if (permalink === null) {
      lab.reportProblem(
        'this run is too long for an address; Export saves its trace, which can be dropped here',
      );
      offerExport();
      return;
    }
    history.replaceState(null, '', permalink);
    try {
      await navigator.clipboard.writeText(location.href);
      setLabel('Link copied');
    } catch {
      setLabel('Link is in the address bar');
    }
    setTimeout(() => setLabel('Share'), 2000);
  };
  return (
    <button type="button" class="share" title="Copies an address that opens as this picture" onClick={copy}>
      {label}
    </button>
  );
}

function offerExport(): void {
  const menu = document.querySelector<HTMLDetailsElement>('.menu')!;
  menu.open = true;
  menu.querySelector('summary')!.focus();
}

export function ExportMenu() {
  const lab = useLab();
  const menu = useRef<HTMLDetailsElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const close = () => {
    menu.current!.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      onBlur={(event) => !menu.current!.contains(event.relatedTarget as Node) && close()}
    >
      <summary>Export</summary>
      <ul>
        {Object.entries(exportFormats).map(([format, { label, hint }]) => (
          <li key={format}>
            <button
              type="button"
              onClick={() => {
                close();
                save(lab, format as keyof typeof exportFormats);
              }}
            >
              <strong>{label}</strong> <span class="quiet">{hint}</span>
            </button>
          </li>
        ))}
        <li class="apart">
          <button type="button" onClick={() => file.current!.click()}>
            <strong>Open a trace</strong> <span class="quiet">or drop it anywhere</span>
          </button>
        </li>
      </ul>
      <input
        ref={file}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label="A trace to open"
        onChange={(event) => openFile(lab, event.currentTarget.files?.[0])}
      />
    </details>
  );
}

export async function openFile(lab: LabStore, file: File | undefined): Promise<void> {
  if (file) lab.openTrace(await file.text(), file.name);
}
