import { useRef } from 'preact/hooks';
import { Icon } from '../ui/icons.tsx';
import { AlgorithmPicker } from './algorithm-picker.tsx';
import { ExportMenu, ShareButton } from './export.tsx';
import { keyHelp } from './keyboard.ts';
import { ViewTabs } from './view-switch.tsx';

interface HeaderProps {
  readonly toggleTheme: () => void;
  readonly isOpen: boolean;
  readonly toggleScenario: () => void;
}

export function Header({ toggleTheme, isOpen, toggleScenario }: HeaderProps) {
  const help = useRef<HTMLDialogElement>(null);
  return (
    <header>
      <h1>
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <title>a baton</title>
          <g transform="rotate(-45 16 16)">
            <rect x="2" y="12" width="28" height="8" rx="4" class="baton" />
            <rect x="11" y="12" width="10" height="8" fill="#e69f00" />
          </g>
        </svg>
        Baton <span>lab</span>
      </h1>
      <AlgorithmPicker />
      <ViewTabs />
      <button
        type="button"
        class="to-scenario"
        aria-controls="scenario"
        aria-expanded={isOpen}
        onClick={toggleScenario}
      >
        Scenario
      </button>
      <span class="spacer" />
      <ShareButton />
      <ExportMenu />
      <button
        type="button"
        class="icon"
        data-key="d"
        aria-label="Light or dark"
        title="Light or dark (d)"
        onClick={toggleTheme}
      >
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="icon help"
        data-key="?"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => help.current!.showModal()}
      >
        ?
      </button>
      <Help dialog={help} />
    </header>
  );
}

const marks: readonly (readonly [string, string])[] = [
  ['…', 'waiting'],
  ['●', 'inside'],
  ['★', 'leads'],
  ['✓', 'knows the leader'],
  ['‖', 'paused'],
  ['✕', 'crashed; or lost'],
  ['◇', 'a call of the application'],
  ['↓ ↑', 'a write to a register; a read'],
];

function Help({ dialog }: { readonly dialog: { current: HTMLDialogElement | null } }) {
  const rows = (title: string, pairs: readonly (readonly [string, string])[]) => (
    <>
      <h2>{title}</h2>
      <dl>
        {pairs.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return (
    <dialog ref={dialog} aria-label="Keys" class="keys">
      <form method="dialog">
        {rows('Keys', keyHelp)}
        {rows('Marks', marks)}
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
