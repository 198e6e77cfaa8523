export { drawFigure, type Figure } from './figure.ts';
export { type Look, lookOf } from './looks.ts';
export { type Curve, fontSize, type Panel, type Series } from './panel.ts';
export { escaped, textWidth } from './svg.ts';
