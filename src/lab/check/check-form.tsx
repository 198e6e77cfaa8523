import { algorithmInfo, type EitherAlgorithm, families, isMutant, titleOf } from '../../catalogue/index.ts';
import { channelKinds } from '../../sim/scenario/scenario.ts';
import { firstScenario } from '../state/first-scenario.ts';
import { AlgorithmOptions } from '../ui/algorithm-options.tsx';
import { useLab } from '../ui/context.ts';
import { TextField } from '../ui/text-field.tsx';
import {
  type CheckRequest,
  checkableAlgorithm,
  checkableAlgorithms,
  checkCommandLine,
  checkDefaults,
  subjectOf,
} from './check-request.ts';

interface Props {
  readonly request: CheckRequest;
  readonly change: (request: CheckRequest) => void;
  readonly isRunning: boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

export function CheckForm({ request, change, isRunning, start, stop }: Props) {
  const subject = subjectOf(request);
  const { fields } = request;
  const set = (field: string, value: string) => {
    const { [field]: _, ids, ...rest } = fields;
    const kept = ids !== undefined && field !== 'n' && field !== 'ids' ? { ids } : {};
    const n = field === 'ids' && value !== '' ? { n: `${value.split(',').length}` } : {};
    change({ ...request, fields: { ...rest, ...kept, ...n, ...(value !== '' && { [field]: value }) } });
  };
  return (
    <section class="panel scenario">
      <h2>Every interleaving of</h2>
      <AlgorithmSelect request={request} change={change} />
      {request.custom && <p class="quiet">From the editor, as it last ran.</p>}
      {isMutant(subject) && <p class="lie">Wrong on purpose: {subject.lie}</p>}
      <SetupFields subject={subject} fields={fields} set={set} />
      <h2>What may go wrong</h2>
      <FaultFields subject={subject} fields={fields} set={set} />
      <h2>What is asked besides</h2>
      <PropertySwitches subject={subject} fields={fields} set={set} />
      <TextField
        label="Most states"
        type="number"
        value={fields.maxStates ?? `${checkDefaults.maxStates}`}
        set={(value) => set('maxStates', value)}
      />
      <div class="buttons">
        <button type="button" class="go" data-key="Ctrl+Enter" disabled={isRunning} onClick={start}>
          Check
        </button>
        <button type="button" disabled={!isRunning} onClick={stop}>
          Stop
        </button>
      </div>
      <p class="quiet command">
        <code>{checkCommandLine(request)}</code>
      </p>
    </section>
  );
}

/** Chooses the algorithm to check. The run view shows it too. */
function AlgorithmSelect({ request, change }: Pick<Props, 'request' | 'change'>) {
  const lab = useLab();
  const subject = subjectOf(request);
  const value = request.custom ? '' : subject.name; // an algorithm of the catalogue may have the same name
  const choose = (name: string) => {
    lab.load({
      algorithm: name,
      fields: firstScenario(checkableAlgorithm(name)),
      interventions: [],
      position: 0,
      spacing: lab.spacing,
      view: 'check',
    });
    change({ algorithm: name, fields: {} }); // at once; its run is still loading
  };
  return (
    <label>
      <span>Algorithm</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {!checkableAlgorithms.includes(subject) && <option value={value}>{titleOf(subject)}</option>}
        <AlgorithmOptions families={families('', checkableAlgorithms)} />
      </select>
    </label>
  );
}

interface FormSectionProps {
  readonly subject: EitherAlgorithm;
  readonly fields: CheckRequest['fields'];
  readonly set: (field: string, value: string) => void;
}

function SetupFields({ subject, fields, set }: FormSectionProps) {
  const isMutex = subject.problem === 'mutex';
  const { mayAskForever, knows, shapes, sizes, starts } = algorithmInfo(subject);
  const defaultSize = Math.min(Math.max(3, sizes.min), sizes.max ?? Infinity);
  return (
    <>
      <TextField
        label="Processes"
        type="number"
        value={fields.n ?? `${defaultSize}`}
        set={(value) => set('n', value)}
      />
      {shapes.length > 1 && (
        <SelectField
          label="Network"
          value={fields.topology ?? shapes[0]!}
          options={[...new Set([...shapes, ...(fields.topology ? [fields.topology] : [])])]}
          set={(value) => set('topology', value)}
        />
      )}
      {knows.includes('id') && (
        <TextField
          label="Identifiers"
          value={fields.ids ?? ''}
          hint="in ring order: 3,1,2"
          set={(value) => set('ids', value)}
        />
      )}
      <TextField
        label={isMutex ? 'Who asks' : 'Who starts'}
        value={fields.start ?? starts}
        hint="all, or 0,2; each at any moment or never"
        set={(value) => set('start', value === starts ? '' : value)}
      />
      {isMutex && (
        <TextField
          label="Times each"
          value={fields.entries ?? '1'}
          hint={mayAskForever ? 'a number, or any' : 'a number'}
          set={(value) => set('entries', value)}
        />
      )}
    </>
  );
}

function FaultFields({ subject, fields, set }: FormSectionProps) {
  const count = (field: string, label: string) => (
    <TextField
      label={label}
      type="number"
      value={fields[field] ?? '0'}
      set={(value) => set(field, value === '0' ? '' : value)}
    />
  );
  const { channels: assumed, timing } = algorithmInfo(subject).assumes;
  if (assumed === null) return count('crashes', 'Crashes');
  return (
    <>
      <SelectField
        label="Channels"
        value={fields.channels ?? assumed}
        options={channelKinds}
        set={(value) => set('channels', value === assumed ? '' : value)}
      />
      {count('crashes', 'Crashes')}
      {count('losses', 'Losses')}
      {count('repeats', 'Repetitions')}
      {timing !== 'asynchronous' && (
        <Switch
          label="timers end at any moment"
          isOn={fields.timing === 'off'}
          set={(isOn) => set('timing', isOn ? 'off' : '')}
        />
      )}
    </>
  );
}

function PropertySwitches({ subject, fields, set }: FormSectionProps) {
  const flag = (field: string, label: string, isPossible: boolean, isUsual = false) =>
    isPossible && (
      <Switch
        label={label}
        isOn={(fields[field] ?? (isUsual ? 'on' : 'off')) === 'on'}
        set={(isOn) => set(field, isOn === isUsual ? '' : isOn ? 'on' : 'off')}
      />
    );
  const lemmas = Object.keys(subject.invariants ?? {}).length;
  const { hasLinks, perpetual, bypass = [] } = algorithmInfo(subject);
  return (
    <div class="switches">
      {flag('lemmas', `${lemmas} lemma${lemmas === 1 ? '' : 's'} of its proof`, lemmas > 0, true)}
      {flag('bounds', 'the bounds on messages, chains and sizes', hasLinks && !perpetual)}
      {flag('bypass', 'the bypass bounds', bypass.length > 0)}
      {flag('progress', 'runs without end', true, true)}
      {flag('together', 'all begin at once', true)}
      {flag('reduction', 'leave out what cannot matter', hasLinks, true)}
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
}

function Switch({ label, isOn, set }: SwitchProps) {
  return (
    <label class="switch">
      <input type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly set: (value: string) => void;
}

function SelectField({ label, value, options, set }: SelectFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option.replace(':', ', degree ')}
          </option>
        ))}
      </select>
    </label>
  );
}
