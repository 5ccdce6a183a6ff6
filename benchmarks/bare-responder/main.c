// The least that libmicrohttpd does for an answer: what a hit is compared with. One response for every request, with the head and body
// that a real hit had.
//
//   bare-responder PORT HEAD BODY
//
// HEAD is a file of `Name: value` lines, BODY the file that is sent. Ends when its standard input does.
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, (unsigned short)atoi(arguments[1]), NULL, NULL, answer,
      NULL, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)sysconf(_SC_NPROCESSORS_ONLN), MHD_OPTION_CONNECTION_TIMEOUT, 75u,
      MHD_OPTION_CONNECTION_LIMIT, 4000u, MHD_OPTION_END);
  if (!daemon) return fprintf(stderr, "bare-responder: port %s\n", arguments[1]), 1;
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  MHD_stop_daemon(daemon);
  return 0;
}
