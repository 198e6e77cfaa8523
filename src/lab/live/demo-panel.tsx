import { useState } from 'preact/hooks';
import { algorithmInfo, catalogue } from '../../catalogue/index.ts';
import { glyphs } from '../../diagram/index.ts';
import { type Demonstration, type DemoProcess, maxDemoProcesses, type Takeover } from '../../live/index.ts';
import { rateText } from './groups-panel.tsx';
import { LiveNetworkCanvas } from './live-network.tsx';
import { type LiveSession, livePhaseOf } from './live-session.ts';
import { LiveSpaceTimeCanvas } from './live-spacetime.tsx';

/** A group of real processes that the user may stop and kill. */
export function DemoPanel({ session }: { readonly session: LiveSession }) {
  const { demo } = session;
  if (demo?.isRunning !== true)
    return (
      <section class="demo" aria-label="The demonstration">
        {demo !== null && <Invitation session={session} />}
      </section>
    );
  const isFull = demo.seats.length >= maxDemoProcesses && demo.seats.every(({ state }) => state !== 'dead');
  return (
    <section class="demo" aria-label="The demonstration">
      <div class="panel bar-now">
        <Figures demo={demo} />
        <div class="buttons">
          <button type="button" disabled={isFull} onClick={() => session.act('add')}>
            Add one
          </button>
          <button type="button" disabled={session.isBusy} onClick={() => session.act('end')}>
            End
          </button>
        </div>
      </div>
      <LiveNetworkCanvas session={session} demo={demo} />
      <Processes session={session} demo={demo} />
      <div class="panel said" role="status">
        {session.problem !== null ? (
          <span class="problem">Not done: {session.problem}.</span>
        ) : (
          demoStatusText(demo)
        )}
      </div>
      <LiveSpaceTimeCanvas session={session} demo={demo} />
    </section>
  );
}

const Invitation = ({ session }: { readonly session: LiveSession }) => (
  <div class="panel invitation">
    <h2>Five real processes, one lock</h2>
    <p>
      They are started on this machine, join a group of their own and hand one lock round. You see who holds
      it and what they say to each other, as they tell it themselves. Kill who holds it, stop it, let it go
      on, add another one: what the others do then is what yours would do.
    </p>
    {session.problem !== null && <p class="problem">Not done: {session.problem}.</p>}
    <button type="button" disabled={session.isBusy} onClick={() => session.act('start')}>
      Start the demonstration
    </button>
    <ElectionStart session={session} />
  </div>
);

/** Those that real processes can run: see `whyNotInGroups` of the cluster. */
const elections = catalogue.filter((one) => {
  const { perpetual, assumes } = algorithmInfo(one);
  return one.problem === 'election' && perpetual !== true && assumes.timing !== 'synchronous';
});

/** Starts the demonstration with a leader instead of a lock. */
function ElectionStart({ session }: { readonly session: LiveSession }) {
  const [algorithm, setAlgorithm] = useState('chang-roberts');
  return (
    <>
      <h2>Or one leader</h2>
      <p>
        The same processes stand for an election, and an algorithm of the catalogue chooses the leader. The
        priority of a process is its number, and a leader resigns after a few seconds.
      </p>
      <label>
        Elected by{' '}
        <select value={algorithm} onChange={(event) => setAlgorithm(event.currentTarget.value)}>
          {elections.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>{' '}
      <button type="button" disabled={session.isBusy} onClick={() => session.act('start', { algorithm })}>
        Start an election
      </button>
    </>
  );
}

const Figures = ({ demo }: { readonly demo: Demonstration }) => (
  <dl class="figures">
    <div>
      <dt>Handovers per second</dt>
      <dd class="handovers">{rateText(demo.perSecond)}</dd>
    </div>
    <div>
      <dt>Members</dt>
      <dd>{demo.seats.filter(({ isMember }) => isMember).length}</dd>
    </div>
    <div>
      <dt>Last takeover</dt>
      <dd class="takeover">{demo.takeover ? `${Math.round(demo.takeover.ms)} ms` : '–'}</dd>
    </div>
  </dl>
);

function demoStatusText({ takeover, algorithm }: Demonstration): string {
  if (takeover !== null) return takeoverText(takeover, algorithm);
  return algorithm === null
    ? 'Kill the holder of the lock: its socket closes, and the others go on. Stop it instead, and they wait for its lease to be over: two seconds.'
    : `Kill the leader: its socket closes, and ${algorithm} elects another one in the new view. Stop it instead, and they wait for its lease to be over: two seconds.`;
}

const takeoverText = ({ from, to, why, ms }: Takeover, algorithm: string | null): string =>
  algorithm === null
    ? `p${from} was ${why} while it held the lock; ${Math.round(ms)} ms later p${to} had it.`
    : `p${from} was ${why} while it led; ${Math.round(ms)} ms later p${to} led, elected by ${algorithm}.`;

const lockTexts = { idle: 'rests', waiting: 'waits', inside: 'holds the lock' } as const;
const electionTexts = { idle: 'rests', waiting: 'stands', inside: 'leads' } as const;

function processStatusText({ state, phase, isMember }: DemoProcess, algorithm: string | null): string {
  const phaseTexts = algorithm === null ? lockTexts : electionTexts;
  if (state === 'dead') return 'dead';
  if (state === 'stopped') return isMember ? 'stopped' : 'stopped, out';
  return isMember ? phaseTexts[phase] : 'joins';
}

function Processes({ session, demo }: { readonly session: LiveSession; readonly demo: Demonstration }) {
  return (
    <ul class="panel seats" aria-label="Processes">
      {demo.seats.map((process, i) => {
        const { state, pid } = process;
        const isStopped = state === 'stopped';
        return (
          <li key={i} class={`process ${livePhaseOf(process)} ${state}`}>
            <span class="glyph" aria-hidden="true">
              {isStopped ? '‖' : glyphs[livePhaseOf(process)]}
            </span>
            <strong>p{i}</strong>
            <span class="pid quiet">{pid}</span>
            <span class="phase">{processStatusText(process, demo.algorithm)}</span>
            <button
              type="button"
              class="small"
              disabled={state === 'dead'}
              aria-label={`${isStopped ? 'Continue' : 'Stop'} p${i}`}
              onClick={() => session.act(isStopped ? 'continue' : 'stop', { process: i })}
            >
              {isStopped ? 'Continue' : 'Stop'}
            </button>
            <button
              type="button"
              class="small danger"
              disabled={state === 'dead'}
              aria-label={`Kill p${i}`}
              onClick={() => session.act('kill', { process: i })}
            >
              Kill
            </button>
          </li>
        );
      })}
    </ul>
  );
}
