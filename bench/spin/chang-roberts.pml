/* src/algorithms/election/chang-roberts.ts, ids N, N-1, .. 1 in the direction of sending, which gives the most states where all start at once. */
#define ID (N - _pid)
#define NEXT ((_pid + 1) % N)

chan link[N] = [N + 2] of { byte }; /* v: election with id v; 0: leader, and its id is N */

#define SEND(v) link[NEXT]!v

active [N] proctype process() {
  bit started, participating;
  byte leader, v;
end:
  do
  :: d_step { !started -> started = 1; if :: participating :: else -> participating = 1; SEND(ID) fi }
  :: d_step { link[_pid]?v ->
       if
       :: v == 0 && ID == N
       :: v == 0 && ID != N -> participating = 0; leader = N; SEND(0)
       :: v > ID -> participating = 1; SEND(v)
       :: v == ID -> assert(v == N); participating = 0; leader = v; SEND(0)
       :: v != 0 && v < ID && !participating -> participating = 1; SEND(ID)
       :: v != 0 && v < ID && participating
       fi;
       v = 0 }
  :: timeout && leader == 0 -> assert(false)
  od
}
