import { algorithmInfo, isMutant } from '../../catalogue/index.ts';
import type { Setup } from '../../sim/index.ts';
import type { LabStore } from '../state/lab-store.ts';
import { useLab } from '../ui/context.ts';
import { Icon } from '../ui/icons.tsx';
import { TextField } from '../ui/text-field.tsx';
import { AssumptionSwitches } from './assumption-switches.tsx';
import { InterventionList } from './interventions.tsx';
import { SnapshotFields } from './snapshot.tsx';

export function ScenarioPanel() {
  const lab = useLab();
  return (
    <div class="setup">
      <AlgorithmFacts lab={lab} />
      <ScenarioForm lab={lab} />
      <AssumptionSwitches lab={lab} />
      <InterventionList lab={lab} />
    </div>
  );
}

function AlgorithmFacts({ lab: { algorithm } }: { readonly lab: LabStore }) {
  const doi = /^doi:(.*)$/.exec(algorithm.paper)?.[1];
  return (
    <section class="panel about">
      <h2>Assumes</h2>
      <ul class="assumptions">
        {algorithmInfo(algorithm).assumptions.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {isMutant(algorithm) && <p class="lie">Wrong on purpose: {algorithm.lie}</p>}
      <p class="quiet">
        {doi ? (
          <a href={`https://doi.org/${doi}`} rel="noreferrer">
            {algorithm.paper}
          </a>
        ) : (
          algorithm.paper
        )}
      </p>
    </section>
  );
}

/** Labels of the root in algorithms that synchronise clocks. */
const roles = { root: 'Is right', 'each other': 'Master' } as const;

/** Fields that name processes. A change of the number of processes drops them. */
const perProcessFields = ['ids', 'start', 'root', 'clocks', 'offsets', 'drifts', 'snapshot'];

function ScenarioForm({ lab }: { readonly lab: LabStore }) {
  const { algorithm, run } = lab;
  const isMutex = algorithm.problem === 'mutex';
  const { clockConfig = null } = run.setup;
  const { hasLines, sizes, starts } = algorithmInfo(algorithm);
  const set = (field: string, value: string) => {
    const replaced = field === 'n' ? [...perProcessFields, field] : [field];
    const kept = Object.entries(lab.fields).filter(
      ([other, text]) => text !== '' && !replaced.includes(other),
    );
    const n = field === 'ids' && value !== '' ? { n: `${value.split(',').length}` } : {};
    return lab.setScenario({ ...Object.fromEntries(kept), ...n, ...(value !== '' && { [field]: value }) });
  };
  return (
    <section class="panel scenario">
      <h2>Scenario</h2>
      <TextField
        label="Processes"
        value={`${run.setup.n}`}
        type="number"
        range={sizes}
        set={(value) => set('n', value)}
      />
      <NetworkFields lab={lab} set={set} />
      {clockConfig === null && (
        <TextField
          label={isMutex ? 'Who asks' : 'Who starts'}
          value={lab.fields.start ?? starts}
          hint="all, none, or 0,2@50"
          set={(value) => set('start', value)}
        />
      )}
      {clockConfig !== null && (
        <ClockFields clockConfig={clockConfig} think={run.setup.think.text} set={set} />
      )}
      {isMutex && (
        <TextField
          label="Times each"
          value={`${run.setup.entries}`}
          type="number"
          set={(value) => set('entries', value)}
        />
      )}
      <TextField
        label={hasLines ? 'Step takes' : 'Latency'}
        value={run.setup.latency.text}
        list="latencies"
        set={(value) => set('latency', value)}
      />
      <datalist id="latencies">
        {['fixed:5', 'uniform:1:10', 'uniform:1:50', 'exponential:10', ...(hasLines ? [] : ['bits:5:1'])].map(
          (text) => (
            <option key={text} value={text} />
          ),
        )}
      </datalist>
      <div class="with-button">
        <TextField
          label="Seed"
          value={`${run.setup.seed}`}
          type="number"
          set={(value) => set('seed', value)}
        />
        <button
          type="button"
          class="icon"
          aria-label="Another seed"
          title="Another seed"
          onClick={() => set('seed', `${run.setup.seed + 1}`)}
        >
          <Icon name="dice" />
        </button>
      </div>
      <SnapshotFields lab={lab} />
      {lab.problem !== null && <p class="void small-only">{lab.problem}</p>}
    </section>
  );
}

/** The fields of algorithms that pass messages. */
function NetworkFields({
  lab: { algorithm, run, fields },
  set,
}: {
  readonly lab: LabStore;
  readonly set: (field: string, value: string) => unknown;
}) {
  const { shapes, knows, hasRoot, synchronises } = algorithmInfo(algorithm);
  return (
    <>
      {shapes.length > 1 && (
        <label>
          <span>Network</span>
          <select
            value={fields.topology ?? shapes[0]!}
            onChange={(event) => set('topology', event.currentTarget.value)}
          >
            {shapes.map((shape) => (
              <option key={shape} value={shape}>
                {shape.replace(':', ', degree ')}
              </option>
            ))}
          </select>
        </label>
      )}
      {knows.includes('id') && (
        <TextField
          label="Identifiers"
          value={run.head.ids ?? ''}
          hint="in ring order: 3,1,2"
          set={(value) => set('ids', value)}
        />
      )}
      {run.setup.detector !== null && (
        <TextField
          label="Failure detector"
          value={run.setup.detector.text}
          hint="timeout:20:25 or handshake:20:15"
          set={(value) => set('detector', value)}
        />
      )}
      {hasRoot && (
        <TextField
          label={
            synchronises ? roles[synchronises.to] : algorithm.problem === 'mutex' ? 'First holder' : 'Root'
          }
          value={`${run.setup.root}`}
          type="number"
          set={(value) => set('root', value)}
        />
      )}
    </>
  );
}

interface ClockFieldsProps {
  readonly clockConfig: NonNullable<Setup['clockConfig']>;
  readonly think: string;
  readonly set: (field: string, value: string) => unknown;
}

/** The fields of the clocks and of their synchronisation. */
function ClockFields({ clockConfig, think, set }: ClockFieldsProps) {
  const { offsets, drifts, drift, slew, rounds } = clockConfig;
  const fields = [
    ['offsets', 'Offsets, ms', offsets.join(','), 'of each clock in the beginning'],
    ['drifts', 'Drifts, ppm', drifts.join(','), 'by how many millionths each clock runs fast'],
    ['drift', 'Believed', `${drift}`, 'the most that processes take a drift for, in millionths'],
    [
      'slew',
      'Slew, ppm',
      slew === Infinity ? 'step' : `${slew}`,
      'how fast a correction is worked off; step: at once',
    ],
    ['rounds', 'Rounds', `${rounds}`, 'how often each has its clock synchronised'],
    ['think', 'Between', think, 'ticks between two rounds: fixed:150'],
  ] as const;
  return (
    <>
      {fields.map(([field, label, value, hint]) => (
        <TextField key={field} label={label} value={value} hint={hint} set={(text) => set(field, text)} />
      ))}
    </>
  );
}
