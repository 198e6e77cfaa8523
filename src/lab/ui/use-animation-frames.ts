import { useLayoutEffect, useRef } from 'preact/hooks';
import { useMedia } from './use-media.ts';

/** Paints after every render, and in every frame while the picture moves, unless the user prefers reduced motion. */
export function useAnimationFrames(moves: boolean, paint: () => void): void {
  const isStill = useMedia('(prefers-reduced-motion: reduce)');
  const latest = useRef(paint);
  latest.current = paint;
  useLayoutEffect(() => latest.current());
  useLayoutEffect(() => {
    if (!moves || isStill) return;
    let handle = requestAnimationFrame(function frame() {
      latest.current();
      handle = requestAnimationFrame(frame);
    });
    return () => cancelAnimationFrame(handle);
  }, [moves, isStill]);
}
