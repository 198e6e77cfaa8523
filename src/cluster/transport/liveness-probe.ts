import type { Socket } from 'node:net';

// A process that is being killed may let others in for a moment after its connections are gone, but not keep them. On a busy machine
// the moment can be long; that somebody lives is not urgent to know.
const dyingMs = 200;
const attempts = 3;

/** How one reaches another, and what it means if one cannot. */
export interface ProbeTarget {
  dial(): Socket;
  /** Whether who was dialled is dead for certain. */
  isDead(error: NodeJS.ErrnoException): boolean;
}

/** Finds out whether somebody is dead for certain, by a connection on which nothing is said. Gives how to stop. */
export function probeLiveness(way: ProbeTarget, tell: (isDead: boolean) => void): () => void {
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
    tell(isDead);
  };
  const ask = (left: number) => {
    let isDead = false;
    let hasNoRoom = false; // where too many wait to be let in, somebody listens
    socket = way.dial();
    socket.on('connect', () => {
      timer = setTimeout(answer, dyingMs, false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isDead = way.isDead(error);
      hasNoRoom = error.code === 'EAGAIN';
    });
    socket.on('close', () => {
      if (isOver) return;
      clearTimeout(timer);
      if (isDead || hasNoRoom || left === 0) answer(isDead);
      else ask(left - 1); // let in, and not kept
    });
    socket.resume();
  };
  ask(attempts - 1);
  return stop;
}
