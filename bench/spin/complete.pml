/* Common to the models on the complete graph. A process addresses the others by distance: PID(1) comes after it, and so on round.
 * `request` and `release` are separate steps, and every handler is one d_step. No process may wait when no event is enabled. Our checker is
 * stricter: no process may wait in a quiescent world, where further requests are enabled. */
#define PID(d) ((_pid + d) % N)
#define IN(d) [_pid * (N - 1) + d - 1] /* the channel from there, in an array of one for each ordered pair */
#define OUT(d) [PID(d) * (N - 1) + N - d - 1]

#if N == 3
#define EACH(what) what(1); what(2)
#define ALL(what) (what(1) && what(2))
#define PIDS(what) what(0); what(1); what(2)
#define OPTIONS(what) what(1) what(2)
#else
#define EACH(what) what(1); what(2); what(3)
#define ALL(what) (what(1) && what(2) && what(3))
#define PIDS(what) what(0); what(1); what(2); what(3)
#define OPTIONS(what) what(1) what(2) what(3)
#endif

#define idle 0
#define waiting 1
#define critical 2

byte inside;
#define ENTER phase = critical; inside++; assert(inside == 1)
#define LEAVE phase = idle; inside--
#define STUCK :: timeout && phase == waiting -> assert(false)
