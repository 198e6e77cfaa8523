import type { ElectionNow, GroupNow, GroupsNow, LockNow, TurnNow } from '../../live/index.ts';

/** Shows the user's groups on this machine, with their members, locks and elections. */
export function GroupsPanel({ now }: { readonly now: GroupsNow | null }) {
  return (
    <aside class="panel groups-now" aria-label="Groups on this machine">
      <h2>Groups on this machine</h2>
      {now?.problem && <p class="problem">{now.problem}</p>}
      {now?.problem === null && now.groups.length === 0 && (
        <p class="quiet">
          Nobody is in a group just now. Try <code>npx baton exec --lock a -- sleep 20</code> in two
          terminals.
        </p>
      )}
      <ul>
        {now?.groups.map((group) => (
          <li key={group.name}>
            <GroupSection {...group} />
          </li>
        ))}
      </ul>
    </aside>
  );
}

function GroupSection({ name, epoch, members, locks, elections }: GroupNow) {
  return (
    <>
      <h3>
        {name} <span class="quiet">view {epoch}</span>
      </h3>
      <p class="members">
        {members.map(({ label, answered }, k) => (
          <span key={k} class={answered ? '' : 'silent'} title={answered ? 'a member' : 'does not answer'}>
            {label}
            {!answered && ' does not answer'}
          </span>
        ))}
      </p>
      {locks.map((lock) => (
        <LockStatus key={lock.name} {...lock} />
      ))}
      {elections.map((election) => (
        <ElectionStatus key={election.name} {...election} />
      ))}
    </>
  );
}

const LockStatus = ({ name, algorithm, holder, waiters, perSecond }: LockNow) => (
  <dl class="lock-now">
    <dt>
      lock <strong>{name}</strong>
    </dt>
    <dd>{holder ? <Turn turn={holder} verb="holds it" /> : 'nobody holds it'}</dd>
    {waiters.map((waiter, k) => (
      <dd key={k} class="quiet">
        <Turn turn={waiter} verb="waits" />
      </dd>
    ))}
    <dd class="quiet">
      by {algorithm}
      {perSecond !== null && perSecond > 0 && `, ${rateText(perSecond)} entries per second`}
    </dd>
  </dl>
);

const ElectionStatus = ({ name, leader, candidates }: ElectionNow) => (
  <dl class="lock-now">
    <dt>
      election <strong>{name}</strong>
    </dt>
    <dd>{leader ? <Turn turn={leader} verb="leads" /> : 'nobody leads'}</dd>
    {candidates.map((candidate, k) => (
      <dd key={k} class="quiet">
        <Turn turn={candidate} verb="stands by" />
      </dd>
    ))}
  </dl>
);

const Turn = ({ turn: { label, since }, verb }: { readonly turn: TurnNow; readonly verb: string }) => (
  <>
    {label} {verb}, <span class="time">{duration(Date.now() - since)}</span>
  </>
);

export const rateText = (perSecond: number): string =>
  perSecond >= 100 ? `${Math.round(perSecond)}` : perSecond.toFixed(1);

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
