import CLinux

/// The C library's heaps of this process.
public enum ProcessHeap {
  /// At most `arenas` of them; what is freed goes back to the system at once from 512 KiB on, and as far as it lies at a heap's end. To be called before other threads start.
  public static func bound(arenas: Int32) { linux_bound_heap(arenas) }
}
