// The least that libmicrohttpd does for an answer: what a hit is compared with. One response for every request, with the head and body
// that a real hit had. Flags, memory for a connection and the way that connections come to their loop are the service's: a loop for each core, and
// a thread that accepts and gives them out in turn. (With a shared listening socket one loop happens to get most connections, and which
// share that is decides how often it sleeps: the same program then costs between 8 and 12 µs.)
//
//   bare-responder PORT HEAD BODY
//
// HEAD is a file of `Name: value` lines, BODY the file that is sent. Ends when its standard input does.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_LOOPS = 64 };

static struct MHD_Response *response;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
  (void)context, (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
  // Queuing on the first call would close the connection.
  if (!*state) {
    *state = &response;
    return MHD_YES;
  }
  *state = NULL;
  return MHD_queue_response(connection, 200, response);
}

static char *contents(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  char *bytes = malloc(*length + 1);
  if (bytes && fread(bytes, 1, *length, file) != *length) bytes = NULL;
  if (bytes) bytes[*length] = 0;
  fclose(file);
  return bytes;
}

static int listening(int port) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0 || listen(descriptor, 1024) < 0) return -1;
  return descriptor;
}

static int server;
static int loop_count;
static struct MHD_Daemon *loops[MOST_LOOPS];

static void *accept_all(void *context) {
  (void)context;
  for (int turn = 0;; turn++) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int descriptor = accept4(server, (struct sockaddr *)&address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) MHD_add_connection(loops[turn % loop_count], descriptor, (struct sockaddr *)&address, length);
  }
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "usage: bare-responder PORT HEAD BODY\n"), 2;
  size_t head_length = 0, body_length = 0;
  char *head = contents(arguments[2], &head_length), *body = contents(arguments[3], &body_length);
  if (!head || !body) return perror("bare-responder"), 1;
  response = MHD_create_response_from_buffer(body_length, body, MHD_RESPMEM_PERSISTENT);
  for (char *line = strtok(head, "\r\n"); line; line = strtok(NULL, "\r\n")) {
    char *colon = strchr(line, ':');
    if (!colon) continue;
    *colon = 0;
    MHD_add_response_header(response, line, colon + 1 + strspn(colon + 1, " "));
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  loop_count = cores < 1 ? 1 : cores > MOST_LOOPS ? MOST_LOOPS : cores;
  for (int index = 0; index < loop_count; index++) {
    loops[index] = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        answer, NULL, MHD_OPTION_CONNECTION_TIMEOUT, 75u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)36 * 1024,
        MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
    if (!loops[index]) return fprintf(stderr, "bare-responder: libmicrohttpd does not start\n"), 1;
  }
  pthread_t acceptor;
  server = listening(atoi(arguments[1]));
  if (server < 0 || pthread_create(&acceptor, NULL, accept_all, NULL) != 0) {
    return fprintf(stderr, "bare-responder: port %s\n", arguments[1]), 1;
  }
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  return 0;  // Its connections end with it.
}
