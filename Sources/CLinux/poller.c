#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

enum { LARGEST_BATCH = 64 };

int linux_poller(void) {
  int descriptor = epoll_create1(EPOLL_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

static int control(int poller, int operation, int descriptor, uint64_t token, int writing) {
  struct epoll_event event = {.events = EPOLLIN | (writing ? EPOLLOUT : 0), .data.u64 = token};
  return epoll_ctl(poller, operation, descriptor, &event) < 0 ? errno : 0;
}

int linux_poller_add(int poller, int descriptor, uint64_t token, int writing) {
  return control(poller, EPOLL_CTL_ADD, descriptor, token, writing);
}

int linux_poller_change(int poller, int descriptor, uint64_t token, int writing) {
  return control(poller, EPOLL_CTL_MOD, descriptor, token, writing);
}

int linux_poller_remove(int poller, int descriptor) {
  return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, NULL) < 0 ? errno : 0;
}

static int tell(int found, const struct epoll_event *events, uint64_t *tokens, int *readiness) {
  if (found < 0) return errno == EINTR ? 0 : -errno;
  for (int index = 0; index < found; index++) {
    uint32_t bits = events[index].events;
    tokens[index] = events[index].data.u64;
    readiness[index] = (bits & EPOLLIN ? LINUX_READABLE : 0) | (bits & EPOLLOUT ? LINUX_WRITABLE : 0) |
                       (bits & (EPOLLHUP | EPOLLERR) ? LINUX_ENDED : 0);
  }
  return found;
}

int linux_poller_wait(int poller, uint64_t *tokens, int *readiness, int most, int timeout_milliseconds) {
  struct epoll_event events[LARGEST_BATCH];
  int found = epoll_wait(poller, events, most < LARGEST_BATCH ? most : LARGEST_BATCH, timeout_milliseconds);
  return tell(found, events, tokens, readiness);
}

int linux_poller_wait_precisely(int poller, uint64_t *tokens, int *readiness, int most, uint64_t timeout_nanoseconds) {
  struct epoll_event events[LARGEST_BATCH];
  struct timespec timeout = {.tv_sec = timeout_nanoseconds / 1000000000, .tv_nsec = timeout_nanoseconds % 1000000000};
  int found = epoll_pwait2(poller, events, most < LARGEST_BATCH ? most : LARGEST_BATCH, &timeout, NULL);
  return tell(found, events, tokens, readiness);
}

void linux_precise_sleep(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

const void *linux_find(const void *whole, size_t length, const void *part, size_t part_length) {
  if (part_length == 0) return whole;
  // memmem(3) makes a table first, which costs more than the few bytes in question.
  const char *at = whole, *end = at + length, *first = part;
  while ((size_t)(end - at) >= part_length && (at = memchr(at, *first, (size_t)(end - at) - part_length + 1))) {
    if (memcmp(at, part, part_length) == 0) return at;
    at++;
  }
  return NULL;
}
