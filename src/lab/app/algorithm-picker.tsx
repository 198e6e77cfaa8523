import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { algorithmInfo, type EitherAlgorithm, families, isMutant, titleOf } from '../../catalogue/index.ts';
import { firstScenario } from '../state/first-scenario.ts';
import { useLab } from '../ui/context.ts';
import { Icon } from '../ui/icons.tsx';

/** Shows the current algorithm, and opens a dialog to choose another. */
export function AlgorithmPicker() {
  const lab = useLab();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  // Opens before the next key arrives: the characters after `/` go to the search, however busy the page is.
  useLayoutEffect(() => {
    if (isOpen) dialog.current!.showModal();
  }, [isOpen]);
  const choose = (algorithm: EitherAlgorithm) => {
    dialog.current!.close();
    document.querySelector<HTMLElement>('.play')?.focus(); // otherwise space would open the dialog again
    lab.load({
      algorithm: algorithm.name,
      fields: firstScenario(algorithm),
      interventions: [],
      position: null,
      spacing: lab.spacing,
      view: lab.view === 'live' ? 'run' : lab.view, // the live view has no algorithm to choose
    });
  };
  return (
    <>
      <button
        type="button"
        class="picker"
        data-key="/"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        title="Choose an algorithm (/)"
      >
        <span>{titleOf(lab.algorithm)}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && (
        <dialog
          ref={dialog}
          class="catalogue"
          aria-label="Algorithms"
          onClose={() => setOpen(false)}
          onPointerDown={(event) => event.target === event.currentTarget && event.currentTarget.close()}
        >
          <AlgorithmList current={lab.algorithm} choose={choose} close={() => dialog.current!.close()} />
        </dialog>
      )}
    </>
  );
}

interface AlgorithmListProps {
  readonly current: EitherAlgorithm;
  readonly choose: (algorithm: EitherAlgorithm) => void;
  readonly close: () => void;
}

function AlgorithmList({ current, choose, close }: AlgorithmListProps) {
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const groups = families(search);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const buttons = [...list.current!.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + by))]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move through the whole list
    <div class="choice" onKeyDown={move}>
      <div class="search">
        <input
          type="search"
          placeholder="Search: a name, ring, FIFO, memory, crash, raymond+bully …"
          aria-label="Search algorithms"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && groups[0] && choose(groups[0].members[0]!)}
        />
        <button type="button" class="icon" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="groups" ref={list}>
        {groups.length === 0 && <p class="quiet">No match</p>}
        {groups.map(({ title, members }) => (
          <section key={title}>
            <h3>{title}</h3>
            <ul>
              {members.map((algorithm) => (
                <li key={algorithm.name}>
                  <button
                    type="button"
                    aria-current={algorithm === current}
                    onClick={() => choose(algorithm)}
                  >
                    <strong>{titleOf(algorithm)}</strong>
                    <span class="quiet">
                      {isMutant(algorithm)
                        ? algorithm.lie
                        : algorithmInfo(algorithm).assumptions.slice(1).join(', ')}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}
