#define _GNU_SOURCE
#include "CMicroHTTPD.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct CMicroHTTPDLane {
  CMicroHTTPDArrival arrived;
  void *context;
  /// By descriptor; null for those of others.
  void **connections;
  int capacity;
};

// The lane of the loop that runs on this thread. Null on every other thread, and for loops with TLS.
static _Thread_local struct CMicroHTTPDLane *lane;

struct CMicroHTTPDLane *CMicroHTTPD_openLane(CMicroHTTPDArrival arrived, void *context) {
  struct CMicroHTTPDLane *opened = calloc(1, sizeof *opened);
  if (opened) *opened = (struct CMicroHTTPDLane){.arrived = arrived, .context = context};
  return opened;
}

void CMicroHTTPD_closeLane(struct CMicroHTTPDLane *closed) {
  if (!closed) return;
  free(closed->connections);
  free(closed);
}

int CMicroHTTPD_enterLane(struct CMicroHTTPDLane *entered, int descriptor, void *connection) {
  if (!entered || descriptor < 0) return 0;
  if (descriptor >= entered->capacity) {
    int capacity = descriptor + 1024;
    void **larger = realloc(entered->connections, capacity * sizeof *larger);
    if (!larger) return 0;
    memset(larger + entered->capacity, 0, (capacity - entered->capacity) * sizeof *larger);
    entered->connections = larger;
    entered->capacity = capacity;
  }
  entered->connections[descriptor] = connection;
  lane = entered;
  return 1;
}

void CMicroHTTPD_leaveLane(struct CMicroHTTPDLane *left, int descriptor) {
  if (left && descriptor >= 0 && descriptor < left->capacity) left->connections[descriptor] = NULL;
}

// The library reads its sockets with recv(2), through the dynamic linker, which takes the program's own definition
// first: this one. For whoever else calls it, it is what the C library's is.
ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  ssize_t count = recvfrom(descriptor, buffer, size, flags, NULL, NULL);
  struct CMicroHTTPDLane *here = lane;
  if (count < 0 || !here || descriptor >= here->capacity) return count;
  void *connection = here->connections[descriptor];
  if (!connection || !here->arrived(here->context, connection, buffer, count)) return count;
  errno = EAGAIN;
  return -1;
}

static int64_t milliseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t CMicroHTTPD_coarseUptime(void) { return milliseconds(CLOCK_MONOTONIC_COARSE); }

int64_t CMicroHTTPD_time(void) { return milliseconds(CLOCK_REALTIME); }
