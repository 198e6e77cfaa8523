/* What the models on the complete graph have in common. A process calls the others by distance: PID(1) comes after it, and so on round.
 * `request` and `release` are steps of their own, and every handler is one d_step. Nobody may be left waiting when nothing can happen (our
 * checker is stricter: also not when nothing can happen but further requests). */
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
