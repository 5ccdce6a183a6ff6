import CLinux

/// The C library's heaps of this process.
public enum ProcessHeap {
  /// At most `arenas` of them, and what is freed goes back to the system soon. To be called before other threads start.
  public static func bound(arenas: Int32) { linux_bound_heap(arenas) }
}
