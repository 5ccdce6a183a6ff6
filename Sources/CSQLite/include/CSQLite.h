#ifndef CSQLite_h
#define CSQLite_h
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: these bind copies.
int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count);
int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int count);
#endif
