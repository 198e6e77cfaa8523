import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly count: number;
  readonly height: number; // of each row, in pixels
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
}

/** A long list that renders only its visible rows. */
export function VirtualList({ count, height, label, row }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState({ top: 0, size: 400 });
  const update = () => setVisible({ top: box.current!.scrollTop, size: box.current!.clientHeight });
  useLayoutEffect(update, []);
  const first = Math.max(0, Math.floor(visible.top / height) - 2);
  const last = Math.min(count, Math.ceil((visible.top + visible.size) / height) + 2);
  return (
    <section
      class="rows"
      ref={box}
      onScroll={update}
      aria-label={label}
      tabIndex={count * height > visible.size ? 0 : -1}
    >
      <ul style={{ height: `${count * height}px`, paddingTop: `${first * height}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, k) => (
          <li key={first + k} style={{ height: `${height}px` }}>
            {row(first + k)}
          </li>
        ))}
      </ul>
    </section>
  );
}
