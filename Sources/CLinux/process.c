#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHANNEL_BYTES = 1 << 20 };

int linux_spawn(const char *path, char *const arguments[], char *const environment[], int channel, int error_output,
                pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!error) error = posix_spawnattr_setflags(&attributes, flags);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, error_output, 2);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, channel, 3);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  if (!error) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
  if (!error) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int linux_process_descriptor(pid_t pid) {
  long descriptor = syscall(SYS_pidfd_open, pid, 0);
  return descriptor < 0 ? -errno : (int)descriptor;
}

int linux_kill(int process_descriptor) {
  return syscall(SYS_pidfd_send_signal, process_descriptor, SIGKILL, NULL, 0) < 0 ? errno : 0;
}

int linux_reap(int process_descriptor, struct linux_exit *exit) {
  siginfo_t status;
  memset(&status, 0, sizeof status);
  memset(exit, 0, sizeof *exit);
  int result;
  do {
    result = waitid(P_PIDFD, (id_t)process_descriptor, &status, WEXITED | WNOHANG);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return errno;
  if (status.si_pid == 0) return 0;
  exit->has_ended = 1;
  exit->by_signal = status.si_code != CLD_EXITED;
  exit->status = status.si_status;
  return 0;
}

// Out of the way of the numbers that the child is to have, whatever the server's own 0, 1 and 2 are.
static int lift(int *descriptor) {
  int lifted = fcntl(*descriptor, F_DUPFD_CLOEXEC, 10);
  int error = lifted < 0 ? errno : 0;
  close(*descriptor);
  *descriptor = lifted;
  return error;
}

static int lift_both(int pair[2], int unblocked) {
  int first = lift(&pair[0]);
  int second = lift(&pair[1]);
  int error = first ? first : second;
  if (!error && fcntl(pair[unblocked], F_SETFL, O_NONBLOCK) < 0) error = errno;
  if (error) {
    if (pair[0] >= 0) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
  }
  return error;
}

int linux_channel(int *ours, int *theirs) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return errno;
  int error = lift_both(pair, 0);
  if (error) return error;
  // Room for most pictures as a whole, so that neither side waits for the other halfway; the kernel doubles it, and gives what it allows.
  int room = CHANNEL_BYTES;
  (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  *ours = pair[0];
  *theirs = pair[1];
  return 0;
}

ssize_t linux_send_two(int descriptor, const void *first, size_t first_bytes, const void *second, size_t second_bytes) {
  struct iovec parts[2] = {{(void *)first, first_bytes}, {(void *)second, second_bytes}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  ssize_t sent = sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

int linux_pipe(int *reading, int *writing) {
  int pair[2];
  if (pipe2(pair, O_CLOEXEC) < 0) return errno;
  int error = lift_both(pair, 0);
  if (error) return error;
  *reading = pair[0];
  *writing = pair[1];
  return 0;
}

int linux_wakeup(void) {
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int linux_is_local_socket(int descriptor) {
  int domain = 0;
  socklen_t length = sizeof domain;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

void linux_bound_heap(int arenas) {
  // Two cores need no sixteen heaps, each of which keeps what it once held; and a phone's photos go back as soon as they are freed. What most avatars
  // come as does not: mapping 200 KB and touching it for the first time takes as long as receiving it.
  mallopt(M_ARENA_MAX, arenas);
  mallopt(M_MMAP_THRESHOLD, 512 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}
