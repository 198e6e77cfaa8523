/* src/algorithms/election/chang-roberts.ts, ids N, N-1, .. 1 in the direction of sending, which gives the most states. No id is in flight
 * twice, so one bit per id represents the messages on a link. Sorted channels (!! and ??) take half as long again. */
#define ID (N - _pid)
#define NEXT ((_pid + 1) % N)

short link[N]; /* bit v: election with id v; bit 0: leader, and its id is N */

#define SEND(v) link[NEXT] = link[NEXT] | (1 << v)
#define TAKE(v) link[_pid] & (1 << v) -> link[_pid] = link[_pid] & ~(1 << v)
#define HEAR(v) \
  :: d_step { TAKE(v); \
     if \
     :: v > ID -> participating = 1; SEND(v) \
     :: v == ID -> assert(v == N); leader = v; SEND(0) \
     :: v < ID && !participating -> participating = 1; SEND(ID) \
     :: else \
     fi }

active [N] proctype process() {
  bit started, participating;
  byte leader;
end:
  do
  :: d_step { !started -> started = 1; if :: participating :: else -> participating = 1; SEND(ID) fi }
  HEAR(1) HEAR(2) HEAR(3) HEAR(4)
#if N > 4
  HEAR(5) HEAR(6) HEAR(7)
#endif
#if N > 7
  HEAR(8)
#endif
  :: d_step { TAKE(0); if :: ID == N :: else -> leader = N; SEND(0) fi }
  :: timeout && leader == 0 -> assert(false)
  od
}
