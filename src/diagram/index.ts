export { vectorClocks } from './causality.ts';
export { mermaidDiagram } from './mermaid.ts';
export { shivizLog } from './shiviz.ts';
export { fitsText, textDiagram } from './text.ts';
