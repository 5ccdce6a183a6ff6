// Threads: how they share cores, a Linux call that Debian 12's C library has no wrapper for, and a pointer of each one's own.
#ifndef CThreads_h
#define CThreads_h
#include <stdint.h>

/// How the calling thread shares cores: SCHED_BATCH or SCHED_OTHER, how nice, and how long it may run before others have their turn, 100 µs to 100 ms; a
/// shorter one lets it go first when it wakes (EEVDF, Linux 6.12; before that a slice is not looked at). 0 or an errno: no thread can
/// make itself less nice without a privilege, EPERM.
int threads_share(int batch, int nice_value, uint64_t slice_nanoseconds);

/// What the calling thread has kept for itself; null until it has. Thread storage has no name in Swift.
void *threads_own(void);
void threads_keep(void *own);
#endif
