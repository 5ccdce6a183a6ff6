#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

// What a decoder needs once it is warm: memory, threads, clocks, and reading and writing what is open already.
static const char *const allowed[] = {
    "read", "readv", "write", "writev", "close", "lseek", "fstat", "poll", "ppoll", "eventfd2",
    "munmap", "mremap", "madvise", "brk", "membarrier",
    "futex", "futex_waitv", "set_robust_list", "rseq", "set_tid_address", "restart_syscall",
    "sched_yield", "sched_getaffinity", "getcpu", "exit", "exit_group",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage",
    "getrandom", "gettid", "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo", "getrlimit",
};

// What a library may still ask for: it is told that there is nothing, and goes on without it.
static const char *const absent[] = {
    "open", "openat", "openat2", "creat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink", "readlinkat", "getdents", "getdents64", "statfs",
};

// What no decoder ever asks for, whatever the picture: whoever asks has taken it over, so it ends here and now.
static const char *const fatal[] = {
    "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    "bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "unshare", "setns", "mount", "umount2", "move_mount", "open_tree", "fsopen", "pivot_root", "chroot",
    "keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load", "reboot",
    "open_by_handle_at", "name_to_handle_at", "setuid", "setgid", "setresuid", "setresgid", "capset", "personality",
};

static int add_all(scmp_filter_ctx filter, uint32_t action, const char *const names[], size_t count) {
  for (size_t index = 0; index < count; index++) {
    int number = seccomp_syscall_resolve_name(names[index]);
    if (number < 0) continue;  // Not a call of this architecture, or newer than the library: the default refuses it.
    int result = seccomp_rule_add_array(filter, action, number, 0, NULL);
    if (result < 0) return -result;
  }
  return 0;
}

static int add_if(scmp_filter_ctx filter, uint32_t action, const char *name, struct scmp_arg_cmp condition) {
  int number = seccomp_syscall_resolve_name(name);
  if (number < 0) return 0;
  int result = seccomp_rule_add_array(filter, action, number, 1, &condition);
  return result < 0 ? -result : 0;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int add_conditional(scmp_filter_ctx filter) {
  const uint64_t thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  const uint64_t apart = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                         CLONE_NEWCGROUP | CLONE_PTRACE | CLONE_PIDFD;
  const uint32_t allow = SCMP_ACT_ALLOW;
  const struct {
    const char *name;
    uint32_t action;
    struct scmp_arg_cmp condition;
  } rules[] = {
      // A thread of this very process and nothing else; without CLONE_THREAD it would be a fork.
      {"clone", allow, SCMP_A0_64(SCMP_CMP_MASKED_EQ, thread | apart, thread)},
      {"clone", SCMP_ACT_KILL_PROCESS, SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)},
      // The C library falls back to clone, whose flags can be looked at.
      {"mmap", allow, SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
      {"mprotect", allow, SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
      {"prctl", allow, SCMP_A0_64(SCMP_CMP_EQ, PR_SET_NAME)},
      {"prctl", allow, SCMP_A0_64(SCMP_CMP_EQ, PR_GET_NAME)},
      {"setitimer", allow, SCMP_A0_64(SCMP_CMP_EQ, ITIMER_PROF)},
      {"tgkill", allow, SCMP_A0_64(SCMP_CMP_EQ, (uint64_t)getpid())},
      // Reading a limit, never setting one.
      {"prlimit64", allow, SCMP_A2_64(SCMP_CMP_EQ, 0)},
      // Not F_SETOWN and its kin, which send signals to others.
      {"fcntl", allow, SCMP_A1_64(SCMP_CMP_EQ, F_GETFD)},
      {"fcntl", allow, SCMP_A1_64(SCMP_CMP_EQ, F_GETFL)},
  };
  for (size_t index = 0; index < COUNT(rules); index++) {
    int error = add_if(filter, rules[index].action, rules[index].name, rules[index].condition);
    if (error) return error;
  }
  const char *const no_such_call[] = {"clone3"};
  int error = add_all(filter, SCMP_ACT_ERRNO(ENOSYS), no_such_call, COUNT(no_such_call));
  const char *const no_terminal[] = {"ioctl"};
  if (!error) error = add_all(filter, SCMP_ACT_ERRNO(ENOTTY), no_terminal, COUNT(no_terminal));
  return error;
}

int linux_filter(void) {
  // Refused with EPERM unless listed: an unforeseen harmless call must not cost somebody a good picture.
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == NULL) return ENOMEM;
  int error = -seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // Threads that the warm-up started are filtered as well.
  if (!error) error = -seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (!error) error = add_all(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));
  if (!error) error = add_all(filter, SCMP_ACT_ERRNO(EACCES), absent, COUNT(absent));
  if (!error) error = add_all(filter, SCMP_ACT_KILL_PROCESS, fatal, COUNT(fatal));
  if (!error) error = add_conditional(filter);
  if (!error) {
    int result = seccomp_load(filter);
    // libseccomp gives -ECANCELED for whatever the kernel said and leaves that in errno.
    if (result < 0) error = result == -ECANCELED && errno ? errno : -result;
  }
  seccomp_release(filter);
  return error;
}
