// Shapes and text that all pictures share.

export interface CanvasArea {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
}

/** Resizes the canvas to its size on the page, at the resolution of the screen. */
export function prepareCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasArea {
  const scale = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}

/** Adds an arrowhead to the current path. The caller fills it. */
export function arrowhead(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  size: number,
): void {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(dx / length) * size, (dy / length) * size];
  const [bx, by] = [x2 - ux, y2 - uy];
  context.moveTo(x2, y2);
  context.lineTo(bx - uy * 0.42, by + ux * 0.42);
  context.lineTo(bx + uy * 0.42, by - ux * 0.42);
}

/** Adds the shape of the k-th kind of message to the current path. */
export function kindMarker(
  context: CanvasRenderingContext2D,
  k: number,
  x: number,
  y: number,
  r: number,
): void {
  switch (k % 4) {
    case 0:
      context.moveTo(x + r, y);
      context.arc(x, y, r, 0, 2 * Math.PI);
      return;
    case 1:
      context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      return;
    case 2:
      context.moveTo(x, y - r * 1.25);
      context.lineTo(x + r * 1.25, y);
      context.lineTo(x, y + r * 1.25);
      context.lineTo(x - r * 1.25, y);
      context.closePath();
      return;
    default:
      context.moveTo(x, y - r * 1.2);
      context.lineTo(x + r * 1.15, y + r * 0.85);
      context.lineTo(x - r * 1.15, y + r * 0.85);
      context.closePath();
  }
}

export const fontFamily = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
