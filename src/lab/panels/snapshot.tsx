import { useMemo } from 'preact/hooks';
import { algorithmInfo, isMutant } from '../../catalogue/index.ts';
import { snapshotCutAt } from '../../diagram/index.ts';
import type { Setup } from '../../sim/index.ts';
import { type RecordedSnapshot, recordedSnapshotAt } from '../../timeline/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { processNames, useLab } from '../ui/context.ts';
import { phaseNames } from '../ui/event-text.ts';
import { TextField } from '../ui/text-field.tsx';

/** Turns snapshots on, and says which processes start one and when. */
export function SnapshotFields({ lab }: { readonly lab: LabStore }) {
  const { algorithm, run, customAlgorithm, fields, spacing } = lab;
  const { snapshots, hasLinks } = algorithmInfo(algorithm);
  const isTaken = snapshots !== undefined;
  const isPossible = hasLinks && algorithm.problem !== 'clocks';
  if (customAlgorithm !== null || !isPossible) return null;
  const isSwitch = !isMutant(algorithm) || !isTaken;
  const load = (name: string, snapshot: string | null) => {
    const { snapshot: _, ...rest } = fields;
    const next = snapshot === null ? rest : { ...rest, snapshot };
    const position = lab.isPlaying ? null : 0;
    return lab.load({ algorithm: name, fields: next, interventions: [], position, spacing });
  };
  const toggle = () =>
    isTaken ? load(snapshots.of.name, null) : load(`${algorithm.name}+chandy-lamport`, snapshotHere(lab));
  return (
    <>
      {isSwitch && (
        <label class="switch">
          <input type="checkbox" checked={isTaken} onChange={toggle} />
          <span>Take a snapshot</span>
        </label>
      )}
      {isTaken && (
        <TextField
          label="Begun by"
          value={run.setup.snapshots.map(({ process, at }) => `${process}@${at}`).join(',')}
          hint="process@time: 0@30, or several"
          set={(value) => load(algorithm.name, value === '' ? null : value)}
        />
      )}
    </>
  );
}

/** Starts the snapshot at the selected process and the current time. */
function snapshotHere({ selection, run, position }: LabStore): string {
  const process = selection !== null && 'process' in selection ? selection.process : 0;
  return `${process}@${run.events[position - 1]?.time || 20}`;
}

/** Shows how far the snapshot is, and what it recorded. */
export function SnapshotPanel() {
  const lab = useLab();
  const { run, position } = lab;
  const cut = useMemo(() => snapshotCutAt(run.traceIndex, position), [run, position]);
  const { setup } = run;
  if (algorithmInfo(setup.algorithm).snapshots === undefined) return null;
  const snapshot = recordedSnapshotAt(
    { setup: setup as Setup, stateAt: (i, at) => run.stateAt(i, at) },
    position,
  );
  const count = cut === null ? 0 : cut.at.filter((event) => event >= 0).length;
  const last = run.traceIndex.recorded.reduce((a, b) => Math.max(a, b), -1);
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
      {snapshot === null ? (
        <p>
          {count === 0
            ? `Nobody has recorded its state yet: ${begins(lab)}.`
            : `${count} of ${run.setup.n} have recorded their state; markers are on their way.`}
        </p>
      ) : (
        <SnapshotDetails lab={lab} snapshot={snapshot} />
      )}
      {cut?.inconsistent.map(({ serial, kind, from, to }) => (
        <p key={serial} class="void">
          Not consistent: {kind} from {processNames(lab)(from)} to {processNames(lab)(to)} comes from the
          future. It was sent after its sender had recorded its state, and received before its receiver had.
        </p>
      ))}
    </section>
  );
}

const maxListed = 8; // processes or messages

const begins = (lab: LabStore): string =>
  lab.run.setup.snapshots.map(({ process, at }) => `${processNames(lab)(process)} will at ${at}`).join(', ');

function SnapshotDetails({
  lab,
  snapshot: { inFlight, tokens },
}: {
  readonly lab: LabStore;
  readonly snapshot: RecordedSnapshot;
}) {
  const { traceIndex } = lab;
  const name = processNames(lab);
  const phases = traceIndex.recorded.map((event, i) => traceIndex.phaseAt(i, event));
  const phaseTexts = [...new Set(phases)].map((phase) => {
    const those = phases.flatMap((one, i) => (one === phase ? [name(i)] : []));
    const more = those.length > maxListed ? ` and ${those.length - maxListed} more` : '';
    return `${phaseNames[phase]}: ${those.slice(0, maxListed).join(', ')}${more}`;
  });
  const listed = inFlight.slice(0, maxListed);
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
        States: {phaseTexts.join('; ')}. {inFlight.length === 0 ? 'Nothing was on its way.' : 'On their way:'}
      </p>
      <ul>
        {listed.map(({ from, to, message }, k) => (
          <li key={k}>
            <code>{lab.run.stateText.message(message)}</code> {name(from)} → {name(to)}
          </li>
        ))}
        {inFlight.length > listed.length && <li class="quiet">and {inFlight.length - listed.length} more</li>}
      </ul>
    </>
  );
}
