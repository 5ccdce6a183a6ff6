import AvatarCore

/// Whether what comes in on a connection may be answered before the library reads it; the loop's thread's alone.
///
/// May it be only where a request begins and the library holds no byte of it: after requests that came as exactly one head, or that the
/// library never saw. A client that once sent more than that at a time (pipelining, a body) has the library read all that follows.
struct LanePass {
  /// Whether the next byte is a request's first, and all before it are dealt with.
  private(set) var isOpen = true
  /// Bytes of the present request, or behind it, that went to the library.
  private var handedOver = 0
  /// When the library last had a request, in milliseconds of the machine's uptime: its idle timeout counts from there.
  private(set) var handedAt: Int64
  /// Whether the present request is as long as its head.
  private var headBytes = 0
  /// What the handler said already of the request that the library has or is about to get; nil where it was not asked.
  private(set) var said: Said?

  /// A target that the handler knows, and its reply where that is a hit.
  struct Said {
    let known: KnownTarget
    let reply: PreparedReply?
  }

  init(now: Int64) { handedAt = now }

  /// The library gets these bytes.
  mutating func handOver(_ bytes: Int, now: Int64, _ said: Said? = nil) {
    if isOpen {
      isOpen = false
      handedOver = 0
      headBytes = 0
      self.said = said
    }
    handedAt = now
    handedOver += bytes
  }

  /// The library has found the end of a head of so many bytes, 0 if it is not sure.
  mutating func headEnded(bytes: Int) { headBytes = bytes }

  /// The library is done with the request.
  mutating func requestEnded() {
    said = nil
    isOpen = headBytes > 0 && handedOver == headBytes
  }
}
