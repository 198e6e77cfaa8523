import {
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from 'd3-shape';

/** The style of a series. Colour, marker and dashes each distinguish it, for readers who cannot see one of them. */
export interface SeriesStyle {
  readonly colour: string;
  readonly marker: string; // a path around 0,0
  readonly dashes: string;
}

// M. Okabe, K. Ito: Color Universal Design, without yellow, which is too light for lines, and with dark grey for black.
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#444444'];
const markers: readonly SymbolType[] = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
];
const dashes = ['none', '6 2.5', '2.5 2', '8 2 2 2'];

/** The style by index: the first 49 differ, and neighbours differ in colour and marker. */
export function seriesStyle(index: number): SeriesStyle {
  const turn = Math.floor(index / colours.length);
  const marker = markers[(index + turn) % markers.length]!;
  return {
    colour: colours[index % colours.length]!,
    marker: symbol(marker, marker === symbolCircle || marker === symbolSquare ? 30 : 34)()!.replace(
      /-?\d+\.\d+/g,
      (number) => `${Math.round(Number(number) * 100) / 100}`,
    ),
    dashes: dashes[turn % dashes.length]!,
  };
}
