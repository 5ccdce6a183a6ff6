#ifndef CLinux_h
#define CLinux_h

// Linux calls that Swift cannot reach by itself: variadic ones, ones that its C library overlay leaves out, and libseccomp.
// Unless said otherwise a function gives 0 or a positive errno value; none prints, none ends the process.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- The server's side: processes and readiness (process.c, poller.c) ----

/// Starts `path` in a process group of its own (a terminal's Ctrl-C is the server's to act upon; a session of its own would undo its niceness
/// where the kernel groups sessions), in `/`, with exactly four descriptors: 0 and 1 on /dev/null, 2 = `error_output`,
/// 3 = `channel`; every signal at its default and none blocked. Both given descriptors must be 10 or more.
int linux_spawn(const char *path, char *const arguments[], char *const environment[], int channel, int error_output,
                pid_t *pid);

/// A descriptor for a child that has not been waited for; negative errno on failure.
int linux_process_descriptor(pid_t pid);

/// Sends SIGKILL. ESRCH where it is dead already.
int linux_kill(int process_descriptor);

/// How a process ended: `by_signal` says what `status` is, an exit status or a signal number.
struct linux_exit {
  int has_ended;
  int by_signal;
  int status;
};

/// Takes a dead child's status without waiting.
int linux_reap(int process_descriptor, struct linux_exit *exit);

/// A stream socket pair and nothing inherited; both descriptors are 10 or more. The first does not block, and takes up to
/// 2 MiB that the second has not read, or what `net.core.wmem_max` allows: 416 KiB where nobody has raised it.
int linux_channel(int *ours, int *theirs);

/// Sends two pieces of memory as one, as much of them as is taken without waiting: their bytes, or a negative errno.
ssize_t linux_send_two(int descriptor, const void *first, size_t first_bytes, const void *second, size_t second_bytes);

/// A pipe with nothing inherited; both ends are 10 or more. The reading end does not block.
int linux_pipe(int *reading, int *writing);

/// Descriptor of a counter that wakes a poller; negative errno on failure.
int linux_wakeup(void);

/// Names the calling thread; at most 15 bytes count.
void linux_name_thread(const char *name);

/// Descriptor of a poller; negative errno on failure.
int linux_poller(void);

enum linux_readiness { LINUX_READABLE = 1, LINUX_WRITABLE = 2, LINUX_ENDED = 4 };

/// Adds a descriptor under a token, for reading, and for writing too if asked.
int linux_poller_add(int poller, int descriptor, uint64_t token, int writing);

/// Changes whether a descriptor is watched for writing too.
int linux_poller_change(int poller, int descriptor, uint64_t token, int writing);

/// Stops watching a descriptor.
int linux_poller_remove(int poller, int descriptor);

/// Waits and fills in up to `most` tokens with their `linux_readiness` bits; gives their number or a negative errno.
int linux_poller_wait(int poller, uint64_t *tokens, int *readiness, int most, int timeout_milliseconds);

/// The same with a timeout to the nanosecond (Linux 5.11): for a load generator, whose requests are due at exact times.
int linux_poller_wait_precisely(int poller, uint64_t *tokens, int *readiness, int most, uint64_t timeout_nanoseconds);

/// From now on the calling thread's sleeps end when they are due, not up to 50 µs later.
void linux_precise_sleep(void);

/// Where `part` first occurs in `whole` (a few bytes; memmem is not in Swift's view of libc); NULL if nowhere.
const void *linux_find(const void *whole, size_t length, const void *part, size_t part_length);

// ---- The worker's side: narrowing itself down (confine.c, landlock.c, filter.c) ----

/// SIGKILL for this process when the thread that started it ends. A change of credentials undoes it: call it after them.
int linux_die_with_parent(void);

/// No exec may ever gain a privilege again; needed for Landlock and for the filter without root.
int linux_no_new_privileges(void);

/// No core file, no ptrace by the same user, /proc/self closed to others.
int linux_not_dumpable(void);

/// The user and group `nobody` (65534) and no other group where the process is root; nothing to do otherwise.
int linux_leave_root(void);

/// Every capability given up, in every set that this thread has.
int linux_drop_capabilities(void);

/// A network namespace with nothing in it, by root's own right or (`with_user_namespace`) in a user namespace of its own.
int linux_own_network(int with_user_namespace);

/// Landlock on this thread and those it starts: nothing may be written, executed, connected or signalled any more, and unless
/// `may_read` nothing opened. ENOSYS or EOPNOTSUPP where the kernel has none.
int linux_landlock(int may_read);

/// The system-call filter on all threads of the process; see filter.c for its three lists.
int linux_filter(void);

/// Bounds the address space; what is mapped already counts.
int linux_limit_memory(uint64_t bytes);

/// Bounds CPU time over the whole life, and open files; no file may grow, no core be written, no memory be locked.
int linux_limit_rest(uint64_t cpu_seconds);

/// Lowest urgency that still makes progress: SCHED_BATCH, nice 15, and the longest slice.
int linux_low_priority(void);

/// Makes the kernel's out-of-memory killer take this process before its parent.
int linux_first_to_go(void);

/// SIGPROF, which ends the process, after so much CPU time of all its threads; 0 takes it back.
int linux_cpu_alarm(int64_t microseconds);

/// 1 where the descriptor is a socket of the local kind, else 0.
int linux_is_local_socket(int descriptor);

/// Gives free heap pages back to the kernel.
void linux_trim_heap(void);

/// Bounds the C library's heaps of this process; before its threads start.
void linux_bound_heap(int arenas);

#endif
