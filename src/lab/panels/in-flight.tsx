import { kindsOf, processNames, useLab } from '../ui/context.ts';
import { KindSwatch } from '../ui/kind-swatch.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';

/** Messages that have been sent and have not arrived. */
export function InFlightPanel() {
  const lab = useLab();
  const messages = lab.traceIndex.inFlightAt(lab.position);
  const kinds = kindsOf(lab);
  const name = processNames(lab);
  const selected = lab.selection !== null && 'message' in lab.selection ? lab.selection.message : null;
  if (messages.length === 0) return <p class="quiet empty">Nothing is on its way now.</p>;
  return (
    <VirtualList
      count={messages.length}
      height={34}
      label="Messages on their way"
      row={(k) => {
        const { serial, from, to, kind, text } = messages[k]!;
        return (
          <button
            type="button"
            class="message"
            aria-pressed={serial === selected}
            onClick={() => lab.select(serial === selected ? null : { message: serial })}
          >
            <KindSwatch k={kinds.indexOf(kind)} kind={kind} />
            <span class="text">{text}</span>
            <span class="quiet">
              {name(from)} → {name(to)}
            </span>
          </button>
        );
      }}
    />
  );
}
