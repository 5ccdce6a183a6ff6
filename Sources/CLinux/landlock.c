#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's interface (Documentation/userspace-api/landlock.rst), spelled out here because the headers of the build machine
// may be older than the kernel that the program meets: rights are added by version and asked for only where it knows them.

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
  ASK_VERSION = 1 << 0,
  RULE_PATH_BENEATH = 1,
  READ_FILE = 1 << 2,
  READ_DIRECTORY = 1 << 3,
  RIGHTS_1 = (1 << 13) - 1,
  RIGHT_REFER = 1 << 13,     // version 2
  RIGHT_TRUNCATE = 1 << 14,  // version 3
  NETWORK = 3,               // version 4: bind and connect of TCP
  RIGHT_DEVICE = 1 << 15,    // version 5: ioctl on devices
  SCOPE = 3,                 // version 6: abstract local sockets and signals outside
};

struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scope;
};

struct path_beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

int linux_landlock(int may_read) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
  if (version < 0) return errno;
  if (version < 1) return ENOSYS;

  struct ruleset wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.files = RIGHTS_1;
  if (version >= 2) wanted.files |= RIGHT_REFER;
  if (version >= 3) wanted.files |= RIGHT_TRUNCATE;
  if (version >= 4) wanted.network = NETWORK;
  if (version >= 5) wanted.files |= RIGHT_DEVICE;
  // Once is enough for signals; a second layer on one thread only would part it from its own process's other threads.
  if (version >= 6 && may_read) wanted.scope = SCOPE;
  // An older kernel refuses a longer structure than it knows unless the rest is zero, which it is.
  int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0);
  if (rules < 0) return errno;

  int error = 0;
  if (may_read) {
    struct path_beneath everything = {.allowed = READ_FILE | READ_DIRECTORY};
    everything.parent = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (everything.parent < 0) error = errno;
    if (!error && syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &everything, 0) < 0) error = errno;
    if (everything.parent >= 0) close(everything.parent);
  }
  if (!error && syscall(SYS_landlock_restrict_self, rules, 0) < 0) error = errno;
  close(rules);
  return error;
}
