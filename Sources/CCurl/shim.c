#define _GNU_SOURCE
#include "CCurl.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <resolv.h>
#include <string.h>

CURLcode avatar_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode avatar_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode avatar_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode avatar_easy_set_context(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode avatar_easy_set_receiver(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode avatar_easy_set_socket_opener(CURL *easy, curl_opensocket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
CURLcode avatar_easy_set_listener(CURL *easy, curl_debug_callback value) {
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}
CURLcode avatar_easy_set_socket_closer(CURL *easy, curl_closesocket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
CURLcode avatar_easy_set_starter(CURL *easy, curl_prereq_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
CURLcode avatar_easy_get_session(CURL *easy, struct curl_tlssessioninfo **value) {
  return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}
CURLcode avatar_easy_get_long(CURL *easy, CURLINFO fact, long *value) {
  return curl_easy_getinfo(easy, fact, value);
}
CURLcode avatar_easy_get_offset(CURL *easy, CURLINFO fact, curl_off_t *value) {
  return curl_easy_getinfo(easy, fact, value);
}
CURLcode avatar_easy_get_string(CURL *easy, CURLINFO fact, const char **value) {
  return curl_easy_getinfo(easy, fact, value);
}
CURLcode avatar_easy_get_certificates(CURL *easy, struct curl_certinfo **value) {
  return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}
CURLMcode avatar_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

int avatar_session_speaks_http2(const void *session) {
  const unsigned char *protocol = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected((const SSL *)session, &protocol, &length);
  return length == 2 && memcmp(protocol, "h2", 2) == 0;
}
int avatar_session_has_unread(const void *session) { return SSL_has_pending((const SSL *)session); }

int avatar_resolver_bound(int attempts, int seconds) {
  if (!(_res.options & RES_INIT) && res_init() != 0) return -1;
  _res.retry = attempts;
  _res.retrans = seconds;
  return 0;
}

