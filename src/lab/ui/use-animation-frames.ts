import { useLayoutEffect, useRef } from 'preact/hooks';
import { useMedia } from './use-media.ts';

/** Paints whenever the component is drawn; and in each frame while something moves, unless the user wants it still. */
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
