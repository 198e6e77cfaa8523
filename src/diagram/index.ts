export { vectorClocks } from './causality.ts';
export { Chronicle, type Cone, kindOf, type Phase, type Sent } from './chronicle.ts';
export { mermaidDiagram } from './mermaid.ts';
export { type Point, positions } from './network.ts';
export { dark, glyphs, light, lookOf, type Palette } from './palette.ts';
export { shivizLog } from './shiviz.ts';
export { SpaceTime, type Spacing } from './spacetime.ts';
export { type SvgOptions, spaceTimeSvg } from './svg.ts';
export { fitsText, textDiagram } from './text.ts';
