/* src/algorithms/mutex/lamport.ts, on FIFO channels. 0 in queue[] and latest[] stands for null and -1 there: times begin with 1. */
#include "complete.pml"

#define request 1
#define acknowledge 2
#define release 3

#if ENTRIES == 1
#define ROOM 3
#else
#define ROOM 5
#endif

chan channel[N * (N - 1)] = [ROOM] of { byte, byte }; /* a d_step that finds it full is an error */

#define ASK(d) channel OUT(d)!request,clock
#define TELL(d) channel OUT(d)!release,clock
#define BEFORE(u, d) (queue[0] < u || (queue[0] == u && _pid < PID(d)))
#define FIRST(d) ((queue[d] == 0 || BEFORE(queue[d], d)) && BEFORE(latest[d - 1], d))
#define RECEIVE(d) \
  :: d_step { channel IN(d)?type,t -> \
     clock = (clock > t -> clock : t) + 1; latest[d - 1] = t; \
     if \
     :: type == request -> queue[d] = t; clock++; channel OUT(d)!acknowledge,clock \
     :: type == release -> queue[d] = 0 \
     :: else \
     fi; \
     if :: phase == waiting && ALL(FIRST) -> ENTER :: else fi; \
     type = 0; t = 0 }

active [N] proctype process() {
  byte phase, clock, type, t;
  byte queue[N], latest[N - 1];
  byte left = ENTRIES;
end:
  do
  :: d_step { phase == idle && left > 0 -> left--; phase = waiting; clock++; queue[0] = clock; EACH(ASK) }
  :: d_step { phase == critical -> LEAVE; clock++; queue[0] = 0; EACH(TELL) }
  OPTIONS(RECEIVE)
  STUCK
  od
}
