#define _GNU_SOURCE
#include "CProbe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static volatile sig_atomic_t released = 0;

static void release(int signal) {
  (void)signal;
  released = 1;
}

void probe_listen(void) { signal(SIGUSR1, release); }

void probe_hold(void) {
  while (!released) poll(NULL, 0, 5);
  released = 0;
}

int probe_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0; }

void probe_spin(void) {
  for (volatile uint64_t turns = 0;; turns++) {
  }
}

void probe_sleep(void) {
  for (;;) poll(NULL, 0, 1000);
}

void probe_crash(void) { *(volatile int *)(uintptr_t)8 = 1; }

static int outcome(long result) { return result < 0 ? errno : 0; }

static int open_file(void) { return outcome(open("/etc/passwd", O_RDONLY)); }
static int open_directory(void) { return outcome(open("/", O_RDONLY | O_DIRECTORY)); }
static int open_memory(void) { return outcome(open("/proc/self/mem", O_RDWR)); }
static int create_file(void) { return outcome(open("/tmp/avatar-probe", O_CREAT | O_WRONLY, 0600)); }
static int stat_file(void) {
  struct stat status;
  return outcome(stat("/etc/passwd", &status));
}
static int read_link(void) {
  char target[256];
  return outcome(readlink("/proc/self/exe", target, sizeof target));
}
static int unlink_file(void) { return outcome(unlink("/tmp/avatar-probe-none")); }
static int make_directory(void) { return outcome(mkdir("/tmp/avatar-probe-directory", 0700)); }
static int change_directory(void) { return outcome(chdir("/tmp")); }
static int memory_file(void) { return outcome(syscall(SYS_memfd_create, "probe", 0)); }
static int watch_files(void) { return outcome(syscall(SYS_inotify_init1, 0)); }

static int inet_socket(void) { return outcome(socket(AF_INET, SOCK_STREAM, 0)); }
static int local_socket(void) { return outcome(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int netlink_socket(void) { return outcome(socket(AF_NETLINK, SOCK_RAW, 0)); }
static int socket_pair(void) {
  int pair[2];
  return outcome(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}
static int connect_out(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return outcome(connect(3, (struct sockaddr *)&address, sizeof address));
}
static int pass_descriptor(void) {
  char byte = 0;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  return outcome(sendmsg(3, &message, MSG_DONTWAIT));
}

static int execute(void) {
  char *const words[] = {"/bin/true", NULL};
  return outcome(execve("/bin/true", words, words + 1));
}
static int fork_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return outcome(child);
}
static int clone_process(void) { return outcome(syscall(SYS_clone, CLONE_VM | SIGCHLD, 0, 0, 0, 0)); }
static int clone_namespace(void) {
  return outcome(syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_NEWUSER, 0, 0, 0, 0));
}
static int clone_three(void) {
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.exit_signal = SIGCHLD;
  return outcome(syscall(SYS_clone3, &arguments, sizeof arguments));
}
static void *nothing(void *argument) { return argument; }
static int start_thread(void) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, nothing, NULL);
  if (!error) pthread_join(thread, NULL);
  return error;
}

static int trace_parent(void) { return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)); }
static int read_parent_memory(void) {
  char byte;
  struct iovec here = {.iov_base = &byte, .iov_len = 1};
  struct iovec there = {.iov_base = (void *)&released, .iov_len = 1};
  return outcome(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int signal_parent(void) { return outcome(kill(getppid(), 0)); }
static int signal_parent_thread(void) { return outcome(syscall(SYS_tgkill, getppid(), getppid(), 0)); }
static int open_parent(void) { return outcome(syscall(SYS_pidfd_open, getppid(), 0)); }
static int take_descriptor(void) { return outcome(syscall(SYS_pidfd_getfd, 0, 0, 0)); }
static int signal_by_socket(void) { return outcome(fcntl(3, F_SETOWN, getppid())); }
/// Every descriptor but 0 to 3 has to be closed.
static int read_descriptors(void) {
  char byte;
  for (int descriptor = 4; descriptor < 4096; descriptor++) {
    if (read(descriptor, &byte, 0) == 0 || errno != EBADF) return 0;
  }
  return EBADF;
}
static int parent_limits(void) { return outcome(setpriority(PRIO_PROCESS, 0, -20)); }
static int environment_secrets(void) {
  extern char **environ;
  for (char **word = environ; *word != NULL; word++) {
    if (strncmp(*word, "AVATAR_", 7) == 0 || strncmp(*word, "PATH=", 5) == 0) return 0;
  }
  return ENOENT;
}

static int map_code(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
static int make_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : outcome(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}
static int allocate(void) {
  const size_t step = 64 << 20;
  for (size_t total = 0; total < (size_t)8 << 30; total += step) {
    if (mmap(NULL, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return errno;
  }
  return 0;
}
static int raise_memory_limit(void) {
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  return outcome(setrlimit(RLIMIT_AS, &limit));
}
static int become_dumpable(void) { return outcome(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }
static int survive_parent(void) { return outcome(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }
static int become_root(void) { return outcome(syscall(SYS_setuid, 0)); }
static int own_namespace(void) { return outcome(unshare(CLONE_NEWUSER)); }
static int load_program(void) { return outcome(syscall(SYS_bpf, 0, 0, 0)); }
static int ring(void) {
  char parameters[256] = {0};
  return outcome(syscall(SYS_io_uring_setup, 1, parameters));
}
static int fault_handler(void) { return outcome(syscall(SYS_userfaultfd, 0)); }
static int performance(void) { return outcome(syscall(SYS_perf_event_open, 0, 0, 0, 0, 0)); }
static int add_key(void) { return outcome(syscall(SYS_add_key, "user", "probe", "x", 1, -3)); }
static int terminal(void) {
  int waiting;
  return outcome(ioctl(3, FIONREAD, &waiting));
}
static int other_alarm(void) {
  struct itimerval alarm = {.it_value = {.tv_sec = 1}};
  return outcome(setitimer(ITIMER_REAL, &alarm, NULL));
}
#if defined(__x86_64__)
static int other_abi(void) { return outcome(syscall(0x40000000 | SYS_getpid)); }
#else
static int other_abi(void) { return ENOSYS; }
#endif

static const struct {
  const char *name;
  int (*attempt)(void);
} attempts[] = {
    {"open a file", open_file},
    {"open a directory", open_directory},
    {"open its own memory", open_memory},
    {"create a file", create_file},
    {"stat a file", stat_file},
    {"read a link", read_link},
    {"unlink a file", unlink_file},
    {"make a directory", make_directory},
    {"change directory", change_directory},
    {"make a memory file", memory_file},
    {"watch files", watch_files},
    {"make an IPv4 socket", inet_socket},
    {"make a local socket", local_socket},
    {"make a netlink socket", netlink_socket},
    {"make a socket pair", socket_pair},
    {"connect", connect_out},
    {"pass a descriptor", pass_descriptor},
    {"execute a program", execute},
    {"fork", fork_process},
    {"clone a process", clone_process},
    {"clone into a namespace", clone_namespace},
    {"clone3", clone_three},
    {"start a thread", start_thread},
    {"trace its parent", trace_parent},
    {"read its parent's memory", read_parent_memory},
    {"signal its parent", signal_parent},
    {"signal its parent's thread", signal_parent_thread},
    {"open its parent", open_parent},
    {"take a descriptor", take_descriptor},
    {"have the socket signal", signal_by_socket},
    {"read another descriptor", read_descriptors},
    {"raise its priority", parent_limits},
    {"find an environment", environment_secrets},
    {"map code", map_code},
    {"make memory code", make_code},
    {"allocate past its limit", allocate},
    {"raise its memory limit", raise_memory_limit},
    {"become dumpable", become_dumpable},
    {"survive its parent", survive_parent},
    {"become root", become_root},
    {"make a namespace", own_namespace},
    {"load a kernel program", load_program},
    {"make a ring", ring},
    {"take page faults", fault_handler},
    {"count performance events", performance},
    {"add a key", add_key},
    {"ask a device", terminal},
    {"set another alarm", other_alarm},
    {"use another ABI", other_abi},
};

const char *probe_attempt(int index) {
  return index >= 0 && (size_t)index < sizeof attempts / sizeof attempts[0] ? attempts[index].name : NULL;
}

int probe_try(const char *attempt) {
  for (size_t index = 0; index < sizeof attempts / sizeof attempts[0]; index++) {
    if (strcmp(attempts[index].name, attempt) == 0) return attempts[index].attempt();
  }
  return -1;
}
