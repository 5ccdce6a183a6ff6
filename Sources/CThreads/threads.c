#define _GNU_SOURCE
#include "CThreads.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

struct attributes_of_scheduling {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

int threads_share(int batch, int nice_value, uint64_t slice_nanoseconds) {
  struct attributes_of_scheduling attributes = {
      .size = sizeof attributes, .policy = batch ? SCHED_BATCH : SCHED_OTHER, .nice = nice_value,
      .runtime = slice_nanoseconds};
  return syscall(SYS_sched_setattr, 0, &attributes, 0) < 0 ? errno : 0;
}

static _Thread_local void *own_of_thread;

void *threads_own(void) { return own_of_thread; }

void threads_keep(void *own) { own_of_thread = own; }
