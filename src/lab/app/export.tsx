import { useRef, useState } from 'preact/hooks';
import { titleOf } from '../../catalogue/index.ts';
import { traceText } from '../../core/trace.ts';
import { mermaidDiagram, shivizLog, svgDiagram } from '../../diagram/index.ts';
import { traceOfTimeline } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import type { SavableFile } from '../state/savable-file.ts';
import { kindsOf, processNames, useLab } from '../ui/context.ts';
import { pngBlob, saveFile, svgBlob } from '../ui/save-file.ts';

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

/** The files of a run. */
const runFiles = (lab: LabStore): readonly SavableFile[] => {
  const file = (extension: string, label: string, hint: string, make: () => Promise<Blob>): SavableFile => ({
    ...{ label, hint, make },
    name: () => `${lab.algorithm.name}.${extension}`,
  });
  const textBlob = async (text: string) => new Blob([text]);
  return [
    file('svg', 'SVG', 'the diagram up to here', async () => svgBlob(svgOf(lab))),
    file('png', 'PNG', 'the same, as pixels', () => pngBlob(svgOf(lab))),
    file('mmd', 'Mermaid', 'a sequence diagram', () => textBlob(mermaidDiagram(traceOfTimeline(lab.run)))),
    file('log', 'ShiViz', 'a log with vector clocks', () => textBlob(shivizLog(traceOfTimeline(lab.run)))),
    file('trace', 'Trace', 'for baton replay, and for this page', () =>
      textBlob(traceText(traceOfTimeline(lab.run))),
    ),
  ];
};

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
        {(lab.viewFiles ?? runFiles(lab)).map((file) => (
          <li key={file.label}>
            <button
              type="button"
              onClick={() => {
                close();
                saveFile(file);
              }}
            >
              <strong>{file.label}</strong> <span class="quiet">{file.hint}</span>
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
