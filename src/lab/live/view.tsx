import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Demo } from './demo.tsx';
import { Groups } from './groups.tsx';
import './live.css';
import { Session } from './session.ts';
import { isServed, tokenNow } from './token.ts';

/** Real processes, as they are now. */
export function View() {
  if (!isServed())
    return (
      <Without title="Here are no processes to be seen">
        This page runs by itself, in your browser alone. Served by <code>npx baton lab</code> on your own
        machine, it shows the groups of real processes there, and starts a few that you may kill.
      </Without>
    );
  if (tokenNow() === null) return <Unknown />;
  return <Connected />;
}

const Unknown = () => (
  <Without title="This tab may not look at your processes">
    Open the whole address that <code>baton lab</code> has printed, with the token at its end: it shows that
    the page is opened by you, and not by another page or user of this machine.
  </Without>
);

const Without = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="other">
    <section class="panel live-note">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  </main>
);

function Connected() {
  const session = useMemo(() => new Session(), []);
  const [attempt, setAttempt] = useState(0);
  const [, redraw] = useState(0);
  useEffect(() => session.subscribe(() => redraw((count) => count + 1)), [session]);
  useEffect(() => {
    const controller = new AbortController();
    session.connect(controller.signal);
    return () => controller.abort();
  }, [session, attempt]);
  if (session.status === 'refused') return <Unknown />;
  if (session.status === 'over')
    return (
      <Without title="The lab has ended">
        Its processes are gone with it. Start it again with <code>npx baton lab</code>, and open the address
        that it prints.{' '}
        <button type="button" onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
      </Without>
    );
  return (
    <main class="live" aria-busy={session.status === 'connecting'}>
      <Demo session={session} />
      <Groups now={session.groups} />
    </main>
  );
}
