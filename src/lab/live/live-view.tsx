import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { DemoPanel } from './demo-panel.tsx';
import { GroupsPanel } from './groups-panel.tsx';
import './live.css';
import { accessToken, isServed } from './access-token.ts';
import { LiveSession } from './live-session.ts';

/** Shows real processes, if `baton lab` serves the page and the tab has its token. */
export function LiveView() {
  if (!isServed())
    return (
      <LiveNotice title="Here are no processes to be seen">
        This page runs by itself, in your browser alone. Served by <code>npx baton lab</code> on your own
        machine, it shows the groups of real processes there, and starts a few that you may kill.
      </LiveNotice>
    );
  if (accessToken() === null) return <MissingTokenNotice />;
  return <ConnectedView />;
}

const MissingTokenNotice = () => (
  <LiveNotice title="This tab may not look at your processes">
    Open the whole address that <code>baton lab</code> has printed, with the token at its end: it shows that
    the page is opened by you, and not by another page or user of this machine.
  </LiveNotice>
);

const LiveNotice = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="other">
    <section class="panel live-note">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  </main>
);

function ConnectedView() {
  const session = useMemo(() => new LiveSession(), []);
  const [attempt, setAttempt] = useState(0);
  const [, redraw] = useState(0);
  useEffect(() => session.subscribe(() => redraw((count) => count + 1)), [session]);
  useEffect(() => {
    const controller = new AbortController();
    session.connect(controller.signal);
    return () => controller.abort();
  }, [session, attempt]);
  if (session.status === 'refused') return <MissingTokenNotice />;
  if (session.status === 'over')
    return (
      <LiveNotice title="The lab has ended">
        Its processes are gone with it. Start it again with <code>npx baton lab</code>, and open the address
        that it prints.{' '}
        <button type="button" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
      </LiveNotice>
    );
  return (
    <main class="live" aria-busy={session.status === 'connecting'}>
      <DemoPanel session={session} />
      <GroupsPanel now={session.groups} />
    </main>
  );
}
