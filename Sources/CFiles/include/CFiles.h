#ifndef CFiles_h
#define CFiles_h
// Linux calls on files that Swift's C library overlay leaves out.
#include <stddef.h>
#include <sys/types.h>

/// Reads at most `size` bytes of the file at `path`, links not followed, if that needs no disk: its name and its bytes are in the kernel's memory. Gives
/// how many bytes came, which are fewer where the rest is not in memory; a negative errno value otherwise, EAGAIN where it would have to wait.
ssize_t cfiles_read_cached(const char *path, void *bytes, size_t size);
#endif
