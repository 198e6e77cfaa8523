import { useMemo } from 'preact/hooks';
import { about, isMutant } from '../catalogue/index.ts';
import { messageText } from '../core/trace.ts';
import { cutAt } from '../diagram/index.ts';
import type { Setup } from '../sim/index.ts';
import { type Recording, recordingAt } from '../stage/index.ts';
import { nameOf, useLab } from './context.ts';
import type { Lab } from './lab.ts';
import { Field } from './setup.tsx';
import { phaseWords } from './words.ts';

/** Whether a snapshot is taken, who begins it, and when. */
export function SnapshotFields({ lab }: { readonly lab: Lab }) {
  const { algorithm, show, own, fields, spacing } = lab;
  const { snapshots, hasLinks } = about(algorithm);
  const isTaken = snapshots !== undefined;
  const isPossible = hasLinks && algorithm.problem !== 'clocks';
  if (own !== null || !isPossible) return null;
  const isSwitch = !isMutant(algorithm) || !isTaken;
  const load = (name: string, snapshot: string | null) => {
    const { snapshot: _, ...rest } = fields;
    const next = snapshot === null ? rest : { ...rest, snapshot };
    const position = lab.isPlaying ? null : 0;
    return lab.load({ algorithm: name, fields: next, interventions: [], position, spacing });
  };
  const toggle = () =>
    isTaken ? load(snapshots.of.name, null) : load(`${algorithm.name}+chandy-lamport`, here(lab));
  return (
    <>
      {isSwitch && (
        <label class="switch">
          <input type="checkbox" checked={isTaken} onChange={toggle} />
          <span>Take a snapshot</span>
        </label>
      )}
      {isTaken && (
        <Field
          label="Begun by"
          value={show.setup.snapshots.map(({ process, at }) => `${process}@${at}`).join(',')}
          hint="process@time: 0@30, or several"
          set={(value) => load(algorithm.name, value === '' ? null : value)}
        />
      )}
    </>
  );
}

/** By who is chosen, when one looks. */
function here({ selection, show, position }: Lab): string {
  const process = selection !== null && 'process' in selection ? selection.process : 0;
  return `${process}@${show.events[position - 1]?.time || 20}`;
}

/** What a snapshot has come to. */
export function Snapshot() {
  const lab = useLab();
  const { show, position } = lab;
  const cut = useMemo(() => cutAt(show.chronicle, position), [show, position]);
  const { setup } = show;
  if (about(setup.algorithm).snapshots === undefined) return null;
  const recording = recordingAt({ setup: setup as Setup, stateAt: (i, at) => show.stateAt(i, at) }, position);
  const count = cut === null ? 0 : cut.at.filter((event) => event >= 0).length;
  const last = show.chronicle.recorded.reduce((a, b) => Math.max(a, b), -1);
  return (
    <section class="panel snapshot" aria-label="Snapshot">
      <h2>
        Snapshot
        {last >= 0 && (
          <button type="button" class="small" onClick={() => lab.goTo(last + 1)}>
            to the cut
          </button>
        )}
      </h2>
      {recording === null ? (
        <p>
          {count === 0
            ? `Nobody has recorded its state yet: ${begins(lab)}.`
            : `${count} of ${show.setup.n} have recorded their state; markers are on their way.`}
        </p>
      ) : (
        <Recorded lab={lab} recording={recording} />
      )}
      {cut?.culprits.map(({ serial, kind, from, to }) => (
        <p key={serial} class="void">
          Not consistent: {kind} from {nameOf(lab)(from)} to {nameOf(lab)(to)} comes from the future. It was
          sent after its sender had recorded its state, and received before its receiver had.
        </p>
      ))}
    </section>
  );
}

const most = 8; // processes or messages that are told one by one

const begins = (lab: Lab): string =>
  lab.show.setup.snapshots.map(({ process, at }) => `${nameOf(lab)(process)} will at ${at}`).join(', ');

function Recorded({
  lab,
  recording: { inFlight, tokens },
}: {
  readonly lab: Lab;
  readonly recording: Recording;
}) {
  const { chronicle } = lab;
  const name = nameOf(lab);
  const phases = chronicle.recorded.map((event, i) => chronicle.phaseAt(i, event));
  const said = [...new Set(phases)].map((phase) => {
    const those = phases.flatMap((one, i) => (one === phase ? [name(i)] : []));
    const more = those.length > most ? ` and ${those.length - most} more` : '';
    return `${phaseWords[phase]}: ${those.slice(0, most).join(', ')}${more}`;
  });
  const few = inFlight.slice(0, most);
  return (
    <>
      {tokens !== null && (
        <p>
          <strong>
            {tokens.length === 1
              ? 'Exactly one token'
              : tokens.length === 0
                ? 'No token at all'
                : `${tokens.length} tokens`}
          </strong>
          {tokens.length > 0 && ': '}
          {tokens
            .map((place) =>
              'at' in place
                ? `held by ${name(place.at)}`
                : `on its way from ${name(place.from)} to ${name(place.to)}`,
            )
            .join('; ')}
          .
        </p>
      )}
      <p class="quiet">
        States: {said.join('; ')}. {inFlight.length === 0 ? 'Nothing was on its way.' : 'On their way:'}
      </p>
      <ul>
        {few.map(({ from, to, message }, k) => (
          <li key={k}>
            <code>{messageText(message)}</code> {name(from)} → {name(to)}
          </li>
        ))}
        {inFlight.length > few.length && <li class="quiet">and {inFlight.length - few.length} more</li>}
      </ul>
    </>
  );
}
