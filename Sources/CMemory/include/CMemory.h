// What Swift has no word for: asking for memory before it is read.
#ifndef CMemory_h
#define CMemory_h
#include <stddef.h>

/// Has the processor fetch the lines from `first` on, and goes on without waiting. A hint: any address will do, one that is no more too.
static inline void memory_expect(const void *first, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch((const char *)first + offset);
}

/// The same for one line that is about to be written, as the count of a Swift object's references is.
static inline void memory_expect_change(const void *place) { __builtin_prefetch(place, 1); }
#endif
