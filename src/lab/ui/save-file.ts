import type { SavableFile } from '../state/savable-file.ts';

export const svgBlob = (svg: string): Blob => new Blob([svg], { type: 'image/svg+xml' });

/** Renders an SVG picture at three times its size, for print. */
export async function pngBlob(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = Math.min(3, 16_000 / Math.max(image.width, image.height));
  [canvas.width, canvas.height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), 'image/png'));
}

/** Downloads a file. */
export async function saveFile({ name, make }: SavableFile): Promise<void> {
  const blob = await make();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
