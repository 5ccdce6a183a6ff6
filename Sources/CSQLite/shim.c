#define _GNU_SOURCE
#include "CSQLite.h"
#include <pthread.h>

int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would bind NULL; an empty blob stays a blob.
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

void csqlite_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
