/* src/algorithms/mutex/suzuki-kasami.ts. There is one privilege, so the model keeps its content once, with its place. Requests between two
 * processes are distinct numbers: one bit for each. */
#include "complete.pml"

byte requests[N * (N - 1)];
byte owner; /* the process that has the privilege, or will receive it */
byte sender = N; /* its sender while it is in flight; otherwise N */
byte LN[N];
chan Q = [N] of { byte };

#define ASK(d) requests OUT(d) = requests OUT(d) | (1 << RN[_pid])
#define APPEND(j) if :: j != _pid && RN[j] == LN[j] + 1 && !Q??[j] -> Q!j :: else fi
#define HEAR(d, n) \
  :: d_step { requests IN(d) & (1 << n) -> requests IN(d) = requests IN(d) & ~(1 << n); \
     if :: n > RN[PID(d)] -> RN[PID(d)] = n :: else fi; \
     if \
     :: owner == _pid && sender == N && phase == idle && RN[PID(d)] == LN[PID(d)] + 1 -> owner = PID(d); sender = _pid \
     :: else \
     fi }
#if ENTRIES == 1
#define RECEIVE(d) HEAR(d, 1)
#else
#define RECEIVE(d) HEAR(d, 1) HEAR(d, 2) HEAR(d, 3)
#endif

active [N] proctype process() {
  byte phase, RN[N];
  byte left = ENTRIES;
end:
  do
  :: d_step { phase == idle && left > 0 -> left--;
     if
     :: owner == _pid && sender == N -> ENTER
     :: else -> phase = waiting; RN[_pid] = RN[_pid] + 1; EACH(ASK)
     fi }
  :: d_step { phase == critical -> LEAVE; LN[_pid] = RN[_pid]; PIDS(APPEND); if :: Q?owner -> sender = _pid :: empty(Q) fi }
  :: d_step { owner == _pid && sender != N -> sender = N; ENTER }
  OPTIONS(RECEIVE)
  STUCK
  od
}
