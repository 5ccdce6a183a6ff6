#define _GNU_SOURCE
#include "CLinux.h"
#include "CThreads.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int linux_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ? errno : 0; }

int linux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? errno : 0; }

int linux_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? errno : 0; }

int linux_leave_root(void) {
  if (getuid() != 0 && geteuid() != 0) return 0;
  int error = 0;
  if (setgroups(0, NULL) < 0) error = errno;
  if (setresgid(NOBODY, NOBODY, NOBODY) < 0 && !error) error = errno;
  if (setresuid(NOBODY, NOBODY, NOBODY) < 0 && !error) error = errno;
  return error;
}

int linux_drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct sets[2];
  memset(sets, 0, sizeof sets);
  // The ambient set only ever holds what is permitted and inheritable, so it empties with them.
  return syscall(SYS_capset, &header, sets) < 0 ? errno : 0;
}

int linux_own_network(int with_user_namespace) {
  return unshare(CLONE_NEWNET | (with_user_namespace ? CLONE_NEWUSER : 0)) < 0 ? errno : 0;
}

static int limit(__rlimit_resource_t resource, rlim_t value) {
  struct rlimit present;
  if (getrlimit(resource, &present) < 0) return errno;
  // A limit that is lower already stays: raising it would need a privilege and is never what is wanted.
  rlim_t bound = present.rlim_max < value ? present.rlim_max : value;
  struct rlimit wanted = {.rlim_cur = bound, .rlim_max = bound};
  return setrlimit(resource, &wanted) < 0 ? errno : 0;
}

int linux_limit_memory(uint64_t bytes) { return limit(RLIMIT_AS, bytes); }

int linux_limit_rest(uint64_t cpu_seconds) {
  // Not RLIMIT_NPROC: it counts all threads of the user on the machine, and others may be that user. The filter forbids
  // processes, and the address space bounds threads.
  const struct {
    __rlimit_resource_t resource;
    rlim_t value;
  } limits[] = {
      {RLIMIT_CPU, cpu_seconds}, {RLIMIT_FSIZE, 0}, {RLIMIT_CORE, 0}, {RLIMIT_NOFILE, 16}, {RLIMIT_MEMLOCK, 0},
      {RLIMIT_MSGQUEUE, 0},
  };
  for (size_t index = 0; index < sizeof limits / sizeof limits[0]; index++) {
    int error = limit(limits[index].resource, limits[index].value);
    if (error) return error;
  }
  return 0;
}

int linux_low_priority(void) {
  errno = 0;
  int present = getpriority(PRIO_PROCESS, 0);
  if (present == -1 && errno != 0) return errno;
  // A slice far longer than a loop's, so that a loop goes first when it wakes, and no longer: what a decoder gives up when it lets go of its core
  // (CoreCourtesy) is the rest of its slice, times what its niceness makes of it.
  // The nicer, the sooner the one that woke is owed time: nice 10 left it waiting for the next tick more often. At nice 15 a decoder that shares its
  // core with work that never rests still gets a thirtieth of it: an avatar in a tenth of a second.
  return threads_share(1, present < 15 ? 15 : present, 1000000);
}

int linux_first_to_go(void) {
  int descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write(descriptor, "800", 3) == 3 ? 0 : errno;
  close(descriptor);
  return error;
}

int linux_cpu_alarm(int64_t microseconds) {
  struct itimerval alarm;
  memset(&alarm, 0, sizeof alarm);
  alarm.it_value.tv_sec = microseconds / 1000000;
  alarm.it_value.tv_usec = microseconds % 1000000;
  return setitimer(ITIMER_PROF, &alarm, NULL) < 0 ? errno : 0;
}

void linux_trim_heap(void) { malloc_trim(0); }
