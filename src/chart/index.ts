export { drawFigure, type Figure, panelColumns } from './figure.ts';
export { type Curve, fontSize, type Panel, type Series } from './panel.ts';
export { type SeriesStyle, seriesStyle } from './series-styles.ts';
export { escapeXml, textWidth } from './svg-elements.ts';
