import { processNames, useLab } from '../ui/context.ts';
import { VirtualList } from '../ui/virtual-list.tsx';

/** Shows the value of each register, and the event that wrote it. */
export function RegistersPanel() {
  const lab = useLab();
  const { traceIndex, position } = lab;
  const { registers, events } = traceIndex;
  const last = events[position - 1];
  const accessed = last ? registers.accessesOf(last) : [];
  return (
    <VirtualList
      count={registers.names.length}
      height={34}
      label="Registers"
      row={(k) => {
        const by = registers.changedBy(k, position);
        const access = accessed.find(({ register }) => register === k);
        return (
          <button
            type="button"
            class="register"
            disabled={by === null}
            title={by === null ? 'as in the beginning' : `To event ${by + 1}, which wrote it`}
            onClick={() => lab.goTo(by! + 1)}
          >
            <span class="name">{registers.names[k]}</span>
            <strong class={access && access.kind !== 'read' ? 'new' : ''}>
              {registers.valueAt(k, position)}
            </strong>
            <span class="quiet">
              {by === null
                ? 'as in the beginning'
                : `by ${processNames(lab)(events[by]!.process)}, event ${by + 1}`}
            </span>
          </button>
        );
      }}
    />
  );
}
