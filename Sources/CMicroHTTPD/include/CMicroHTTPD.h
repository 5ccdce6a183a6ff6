// libmicrohttpd for Swift: its variadic calls pinned to one type each, and the Linux calls of its target that Swift's
// Glibc module leaves out.
#ifndef CMicroHTTPD_h
#define CMicroHTTPD_h
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// One event loop: a daemon without a listening socket, with its own thread, that is given its connections.
struct CMicroHTTPDOptions {
  unsigned int idleTimeoutSeconds;
  unsigned int connectionLimit;
  size_t connectionMemory;
  /// PEM texts that must live as long as the daemon; both null without TLS.
  const char *certificate;
  const char *key;
  const char *priorities;
  /// Handed to every callback.
  void *context;
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  /// Sees the request target before anything in it is decoded; returns the request's context.
  void *(*target)(void *context, const char *uri, struct MHD_Connection *connection);
  /// Takes one line of the library's own log.
  void (*log)(void *context, const char *line);
};

/// Starts a loop; null if the library refuses (its log says why).
struct MHD_Daemon *CMicroHTTPD_start(const struct CMicroHTTPDOptions *options);

/// Adds an event to the loop's set, through which a write of eight bytes wakes it; the descriptor is the caller's to
/// close once the daemon is stopped. -1 on failure.
int CMicroHTTPD_addWakeUp(struct MHD_Daemon *daemon);

/// What the connection callback stored for the socket; null before that.
void *CMicroHTTPD_socketContext(struct MHD_Connection *connection);

/// The connection's descriptor, -1 if unknown.
int CMicroHTTPD_descriptor(struct MHD_Connection *connection);

/// Bytes from the start of the request line to the end of the empty line after the fields; 0 if unknown.
size_t CMicroHTTPD_headBytes(struct MHD_Connection *connection);

/// Has the connection closed after this response although its length is not known.
int CMicroHTTPD_endWithClose(struct MHD_Response *response);

/// Bytes that have come in on a TCP socket since it was connected; UINT64_MAX where the kernel does not say.
uint64_t CMicroHTTPD_bytesReceived(int descriptor);

/// accept4(2) with close-on-exec and without blocking.
int CMicroHTTPD_accept(int listening, struct sockaddr *address, socklen_t *length);

/// eventfd(2) with close-on-exec.
int CMicroHTTPD_event(void);

/// A loop's way past the library: sees what comes in on its connections first, and may answer it.
///
/// Everything here happens on the loop's thread, but for opening and for closing it once the daemon is stopped.
struct CMicroHTTPDLane;

/// Says whether `count` bytes that have come in (0 at the end of the stream) are dealt with: the library then finds nothing to read.
typedef bool (*CMicroHTTPDArrival)(void *context, void *connection, const void *bytes, size_t count);

/// Null without memory.
struct CMicroHTTPDLane *CMicroHTTPD_openLane(CMicroHTTPDArrival arrived, void *context);
void CMicroHTTPD_closeLane(struct CMicroHTTPDLane *lane);

/// From now on what comes in on the descriptor is seen first; 0 without memory.
int CMicroHTTPD_enterLane(struct CMicroHTTPDLane *lane, int descriptor, void *connection);
/// Before the descriptor is closed.
void CMicroHTTPD_leaveLane(struct CMicroHTTPDLane *lane, int descriptor);

/// Milliseconds since the machine's start, to within a tick of the kernel: a few nanoseconds of work.
int64_t CMicroHTTPD_coarseUptime(void);
/// Milliseconds since 1970.
int64_t CMicroHTTPD_time(void);
#endif
