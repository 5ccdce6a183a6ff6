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
  /// Whether the handler was asked for a hit already, for the request that the library has or is about to get.
  private(set) var asked = Asked.no

  /// What became of a question for a hit.
  enum Asked {
    /// There was none.
    case no
    /// There is no hit.
    case noHit
    /// There is, and this is its reply.
    case hit(PreparedReply)
  }

  init(now: Int64) { handedAt = now }

  /// The library gets these bytes.
  mutating func handOver(_ bytes: Int, now: Int64, _ asked: Asked = .no) {
    if isOpen {
      isOpen = false
      handedOver = 0
      headBytes = 0
      self.asked = asked
    }
    handedAt = now
    handedOver += bytes
  }

  /// The library has found the end of a head of so many bytes, 0 if it is not sure.
  mutating func headEnded(bytes: Int) { headBytes = bytes }

  /// The library is done with the request.
  mutating func requestEnded() {
    asked = .no
    isOpen = headBytes > 0 && handedOver == headBytes
  }
}
