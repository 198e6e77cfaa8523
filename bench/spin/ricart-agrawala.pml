/* src/algorithms/mutex/ricart-agrawala.ts. No process asks again before all have replied, so at most one message of each kind is in flight
 * between two processes, and a number represents it. Spin's channels take half as long again. With them, xr and xs, and phases as program
 * locations, Spin's reduction leaves 2,852 of the 2,879 states for n = 3 and one entry, and otherwise all. */
#include "complete.pml"

byte request[N * (N - 1)]; /* 0: none on its way */
bit reply[N * (N - 1)];

#define ASK(d) request OUT(d) = ours
#define ANSWER(d) if :: deferred & (1 << d) -> reply OUT(d) = 1 :: else fi
#define RECEIVE(d) \
  :: d_step { request IN(d) > 0 -> k = request IN(d); request IN(d) = 0; \
     if :: k > highest -> highest = k :: else fi; \
     if \
     :: phase != idle && (ours < k || (ours == k && _pid < PID(d))) -> deferred = deferred | (1 << d) \
     :: else -> reply OUT(d) = 1 \
     fi; \
     k = 0 } \
  :: d_step { reply IN(d) -> reply IN(d) = 0; outstanding--; if :: outstanding == 0 -> ENTER :: else fi }

active [N] proctype process() {
  byte phase, ours, highest, outstanding, deferred, k;
  byte left = ENTRIES;
end:
  do
  :: d_step { phase == idle && left > 0 -> left--; phase = waiting; ours = highest + 1; outstanding = N - 1; EACH(ASK) }
  :: d_step { phase == critical -> LEAVE; EACH(ANSWER); deferred = 0 }
  OPTIONS(RECEIVE)
  STUCK
  od
}
