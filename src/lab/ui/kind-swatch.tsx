import { messageStyle } from '../../diagram/index.ts';
import { useLabContext } from './context.ts';

export function KindSwatch({ k, kind }: { readonly k: number; readonly kind: string }) {
  const { palette } = useLabContext();
  const { colour, dashes } = messageStyle(palette, k, kind);
  return (
    <svg class="swatch" viewBox="0 0 30 10" width="30" height="10" aria-hidden="true">
      <title>how it is drawn</title>
      <path d="M1 5H29" stroke={colour} stroke-width="2.5" stroke-dasharray={dashes.join(' ')} />
    </svg>
  );
}
