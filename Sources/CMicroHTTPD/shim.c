#define _GNU_SOURCE
#include "CMicroHTTPD.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Every daemon logs through the same Swift function, so one static holds it: a logger gets one pointer only, which the
// daemon's context needs.
static void (*logLine)(void *context, const char *line);

static void formatLine(void *context, const char *format, va_list arguments) {
  char line[512];
  if (vsnprintf(line, sizeof line, format, arguments) < 0) return;
  if (logLine) logLine(context, line);
}

struct MHD_Daemon *CMicroHTTPD_start(const struct CMicroHTTPDOptions *options) {
  __atomic_store_n(&logLine, options->log, __ATOMIC_RELEASE);
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET
      | MHD_USE_ERROR_LOG;
  struct MHD_OptionItem items[] = {
    {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)options->idleTimeoutSeconds, NULL},
    {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)options->connectionLimit, NULL},
    {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->connectionMemory, NULL},
    {MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL},  // Its one check more, for Host, sends a broken answer; ours is stricter.
    {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)options->target, options->context},
    {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)options->completed, options->context},
    {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)options->connection, options->context},
    {MHD_OPTION_END, 0, NULL},
    {MHD_OPTION_END, 0, NULL},
    {MHD_OPTION_END, 0, NULL},
    {MHD_OPTION_END, 0, NULL},
  };
  if (options->certificate) {
    flags |= MHD_USE_TLS;
    items[7] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate};
    items[8] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key};
    items[9] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options->priorities};
  }
  return MHD_start_daemon(
      flags, 0, NULL, NULL, options->handler, options->context, MHD_OPTION_EXTERNAL_LOGGER, formatLine,
      options->context, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

int CMicroHTTPD_addWakeUp(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *found = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  if (!found) return -1;
  int wakeUp = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wakeUp < 0) return -1;
  // A null pointer is the library's own mark for 'woken, nothing to do'. Edge-triggered: nobody reads the event.
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
  if (epoll_ctl(found->epoll_fd, EPOLL_CTL_ADD, wakeUp, &event) == 0) return wakeUp;
  close(wakeUp);
  return -1;
}

void *CMicroHTTPD_socketContext(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return found ? found->socket_context : NULL;
}

int CMicroHTTPD_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return found ? found->connect_fd : -1;
}

size_t CMicroHTTPD_headBytes(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return found ? found->header_size : 0;
}

int CMicroHTTPD_endWithClose(struct MHD_Response *response) {
  return MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

uint64_t CMicroHTTPD_bytesReceived(int descriptor) {
  struct tcp_info facts;
  socklen_t length = sizeof facts;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &facts, &length) != 0) return UINT64_MAX;
  if (length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof facts.tcpi_bytes_received) return UINT64_MAX;
  return facts.tcpi_bytes_received;
}

int CMicroHTTPD_accept(int listening, struct sockaddr *address, socklen_t *length) {
  return accept4(listening, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int CMicroHTTPD_event(void) { return eventfd(0, EFD_CLOEXEC); }
