import type { Socket } from 'node:net';

// A process that is being killed may still accept connections for a moment after its old ones closed, but it does not keep them. On a
// busy machine the moment can be long. It is not urgent to know that a process lives.
const dyingMs = 200;
const attempts = 3;
const missingMs = 10; // until the next attempt when there is nothing to dial

/** How to dial a process, and which errors prove that it is dead. */
export interface ProbeTarget {
  dial(): Socket;
  /** Whether the error proves that the process is dead. */
  isDead(error: NodeJS.ErrnoException): boolean;
  /** Whether there is nothing to dial just now, which shows nothing about the process. */
  isMissing?(error: NodeJS.ErrnoException): boolean;
}

/** Finds out whether a process is certainly dead, by a connection without data. Returns a function that cancels the probe. */
export function probeLiveness(target: ProbeTarget, done: (isDead: boolean) => void): () => void {
  let socket: Socket;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    socket.destroy();
  };
  const answer = (isDead: boolean) => {
    stop();
    done(isDead);
  };
  const probe = (attemptsLeft: number) => {
    let isDead = false;
    let isMissing = false;
    let hasNoRoom = false; // a full backlog shows that a process listens
    socket = target.dial();
    socket.on('connect', () => {
      timer = setTimeout(answer, dyingMs, false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isDead = target.isDead(error);
      isMissing = !isDead && (target.isMissing?.(error) ?? false);
      hasNoRoom = error.code === 'EAGAIN';
    });
    socket.on('close', () => {
      if (isOver) return;
      clearTimeout(timer);
      if (isMissing) timer = setTimeout(probe, missingMs, attemptsLeft);
      else if (isDead || hasNoRoom || attemptsLeft === 0) answer(isDead);
      else probe(attemptsLeft - 1); // accepted, then closed
    });
    socket.resume();
  };
  probe(attempts - 1);
  return stop;
}
