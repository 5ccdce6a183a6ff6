#ifndef CCurl_h
#define CCurl_h

// Opaque handle types instead of void: an easy handle cannot be passed where a multi handle is due.
#define CURL_STRICTER 1
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic; each function here pins one argument type.
CURLcode avatar_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode avatar_easy_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode avatar_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode avatar_easy_set_context(CURL *easy, CURLoption option, void *value);
CURLcode avatar_easy_set_receiver(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode avatar_easy_set_socket_opener(CURL *easy, curl_opensocket_callback value);
CURLcode avatar_easy_set_listener(CURL *easy, curl_debug_callback value);
CURLcode avatar_easy_set_socket_closer(CURL *easy, curl_closesocket_callback value);
CURLcode avatar_easy_set_starter(CURL *easy, curl_prereq_callback value);
CURLcode avatar_easy_get_long(CURL *easy, CURLINFO fact, long *value);
CURLcode avatar_easy_get_offset(CURL *easy, CURLINFO fact, curl_off_t *value);
CURLcode avatar_easy_get_string(CURL *easy, CURLINFO fact, const char **value);
CURLcode avatar_easy_get_session(CURL *easy, struct curl_tlssessioninfo **value);
CURLcode avatar_easy_get_certificates(CURL *easy, struct curl_certinfo **value);
CURLMcode avatar_multi_set_long(CURLM *multi, CURLMoption option, long value);

// What libcurl does not say of the OpenSSL session that it hands out: whether it speaks HTTP/2, and whether it holds bytes that nobody
// has read.
int avatar_session_speaks_http2(const void *session);
int avatar_session_has_unread(const void *session);

// Bounds the calling thread's own look-ups: so many attempts at a name server, so many seconds each. Non-zero on failure.
// The C library's resolver state is a macro over thread storage, which Swift cannot name.
int avatar_resolver_bound(int attempts, int seconds);

#endif
