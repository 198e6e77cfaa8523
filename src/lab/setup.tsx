import { useEffect, useRef, useState } from 'preact/hooks';
import { about, isMutant } from '../catalogue/index.ts';
import type { Setup as Prepared } from '../sim/index.ts';
import { assumptionsBroken } from '../stage/index.ts';
import { useLab } from './context.ts';
import { Icon } from './icons.tsx';
import type { Lab } from './lab.ts';
import { SnapshotFields } from './snapshot.tsx';
import { Switches } from './switches.tsx';
import { interventionWords } from './words.ts';

/** What runs, and on what. */
export function Setup() {
  const lab = useLab();
  return (
    <div class="setup">
      <About lab={lab} />
      <Scenario lab={lab} />
      <Switches lab={lab} />
      <Done lab={lab} />
    </div>
  );
}

function About({ lab: { algorithm } }: { readonly lab: Lab }) {
  const doi = /^doi:(.*)$/.exec(algorithm.paper)?.[1];
  return (
    <section class="panel about">
      <h2>Assumes</h2>
      <ul class="assumptions">
        {about(algorithm).assumptions.map((text) => (
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

/** Of the root, where clocks are synchronised. */
const roles = { root: 'Is right', 'each other': 'Master' } as const;

/** Fields that name processes. They mean nothing for another number of processes. */
const ofEach = ['ids', 'start', 'root', 'clocks', 'offsets', 'drifts', 'snapshot'];

function Scenario({ lab }: { readonly lab: Lab }) {
  const { algorithm, show } = lab;
  const isMutex = algorithm.problem === 'mutex';
  const { clockwork = null } = show.setup;
  const { hasLines, sizes } = about(algorithm);
  const set = (field: string, value: string) => {
    const gone = field === 'n' ? [...ofEach, field] : [field];
    const kept = Object.entries(lab.fields).filter(([other, text]) => text !== '' && !gone.includes(other));
    const n = field === 'ids' && value !== '' ? { n: `${value.split(',').length}` } : {};
    return lab.set({ ...Object.fromEntries(kept), ...n, ...(value !== '' && { [field]: value }) });
  };
  return (
    <section class="panel scenario">
      <h2>Scenario</h2>
      <Field
        label="Processes"
        value={`${show.setup.n}`}
        type="number"
        range={sizes}
        set={(value) => set('n', value)}
      />
      <OfNetwork lab={lab} set={set} />
      {clockwork === null && (
        <Field
          label={isMutex ? 'Who asks' : 'Who starts'}
          value={lab.fields.start ?? 'all'}
          hint="all, none, or 0,2@50"
          set={(value) => set('start', value)}
        />
      )}
      {clockwork !== null && <ClockFields clockwork={clockwork} think={show.setup.think.text} set={set} />}
      {isMutex && (
        <Field
          label="Times each"
          value={`${show.setup.entries}`}
          type="number"
          set={(value) => set('entries', value)}
        />
      )}
      <Field
        label={hasLines ? 'Step takes' : 'Latency'}
        value={show.setup.latency.text}
        list="latencies"
        set={(value) => set('latency', value)}
      />
      <datalist id="latencies">
        {['fixed:5', 'uniform:1:10', 'uniform:1:50', 'exponential:10'].map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <div class="with-button">
        <Field label="Seed" value={`${show.setup.seed}`} type="number" set={(value) => set('seed', value)} />
        <button
          type="button"
          class="icon"
          aria-label="Another seed"
          title="Another seed"
          onClick={() => set('seed', `${show.setup.seed + 1}`)}
        >
          <Icon name="dice" />
        </button>
      </div>
      <SnapshotFields lab={lab} />
      {lab.problem !== null && <p class="void small-only">{lab.problem}</p>}
    </section>
  );
}

/** What only those have that send messages. */
function OfNetwork({
  lab: { algorithm, show, fields },
  set,
}: {
  readonly lab: Lab;
  readonly set: (field: string, value: string) => unknown;
}) {
  const { shapes, knows, hasRoot, synchronises } = about(algorithm);
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
        <Field
          label="Identifiers"
          value={show.head.ids ?? ''}
          hint="in ring order: 3,1,2"
          set={(value) => set('ids', value)}
        />
      )}
      {hasRoot && (
        <Field
          label={
            synchronises ? roles[synchronises.to] : algorithm.problem === 'mutex' ? 'First holder' : 'Root'
          }
          value={`${show.setup.root}`}
          type="number"
          set={(value) => set('root', value)}
        />
      )}
    </>
  );
}

interface ClockFieldsProps {
  readonly clockwork: NonNullable<Prepared['clockwork']>;
  readonly think: string;
  readonly set: (field: string, value: string) => unknown;
}

/** How the clocks are, and how often they are synchronised. */
function ClockFields({ clockwork, think, set }: ClockFieldsProps) {
  const { offsets, drifts, drift, slew, rounds } = clockwork;
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
        <Field key={field} label={label} value={value} hint={hint} set={(text) => set(field, text)} />
      ))}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly type?: 'number';
  readonly hint?: string;
  readonly list?: string;
  readonly range?: { readonly min?: number; readonly max?: number };
  readonly set: (value: string) => unknown; // a promise of whether it could be, if that takes a moment
}

/** What is written counts once one is done writing; what cannot be is put back. */
export function Field({ label, value, type, hint, list, range: { min, max } = {}, set }: FieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const setting = useRef<unknown>(null);
  const commit = () => {
    if (text.trim() === value) return;
    setting.current = set(text.trim().replace(/\s+/g, ''));
  };
  const leave = async () => {
    if (!(await setting.current)) setText(value);
    setting.current = null;
  };
  return (
    <label>
      <span>{label}</span>
      <input
        type={type ?? 'text'}
        value={text}
        placeholder={hint ?? ''}
        title={hint ?? ''}
        list={list}
        min={min}
        max={max}
        disabled={min !== undefined && min === max}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
        onBlur={leave}
      />
    </label>
  );
}

/** What somebody did to the run, to be taken back. */
function Done({ lab }: { readonly lab: Lab }) {
  const { show } = lab;
  const { interventions } = show;
  if (interventions.length === 0) return null;
  const done = interventions.filter((one) => show.whyNotDone(one) === null);
  const broken = assumptionsBroken(lab.algorithm, done);
  return (
    <section class="panel done">
      <h2>What you did</h2>
      <ul>
        {interventions.map((one) => (
          <li key={`${one.at}${interventionWords(one)}`}>
            <button type="button" class="link" onClick={() => lab.goTo(one.at)}>
              <span class="quiet">at {one.at}</span> {interventionWords(one)}
            </button>
            <button
              type="button"
              class="icon"
              aria-label={`Take back: ${interventionWords(one)}`}
              title="Take back"
              onClick={() => lab.undo(one)}
            >
              <Icon name="close" />
            </button>
            {!done.includes(one) && <small>not done: {show.whyNotDone(one)}</small>}
          </li>
        ))}
      </ul>
      {broken.length > 0 && (
        <p class="void">No longer true: {broken.join(', ')}. What the algorithm promises is void.</p>
      )}
    </section>
  );
}
