#ifndef CProbe_h
#define CProbe_h

/// Tries what a picture that has taken a worker over would try. 0 where it worked, the errno where it was refused, -1 where no such
/// attempt is known. Many attempts do not return.
int probe_try(const char *attempt);

/// The name of an attempt by its place, NULL past the last.
const char *probe_attempt(int index);

/// Returns once SIGUSR1 has come, at any time since the program began to listen for it.
void probe_listen(void);
void probe_hold(void);

/// A pipe that no program started meanwhile can inherit; 0 or an errno.
int probe_pipe(int ends[2]);

/// Uses the CPU for ever.
void probe_spin(void);

/// Waits for ever without using the CPU.
void probe_sleep(void);

/// Writes to address 0.
void probe_crash(void);

#endif
