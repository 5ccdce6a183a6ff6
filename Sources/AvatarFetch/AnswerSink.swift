import AvatarCore

/// What libcurl's callbacks fill during one hop: header, body, addresses. Confined to the loop thread; only copies and decides.
final class AnswerSink {
  /// Bytes of a body that nobody wants, read to keep the connection.
  private static let mostDiscarded = 16 << 10

  private let options: FetchOptions
  private let clock: any WallClock
  private var collector: HeaderCollector
  private var discarded = 0
  /// What to do with the body; nil until the header is whole.
  private(set) var plan: AnswerRules.Plan?
  /// The body so far, after content decoding.
  private(set) var body = SourceBytes()
  /// Why we ended the hop; nil if we did not.
  private(set) var fault: AvatarError?
  /// The wall clock when the header was whole.
  private(set) var receivedAt: UnixTime?
  /// When the header was whole.
  private(set) var headInstant: ContinuousClock.Instant?
  /// When the last bytes came.
  private(set) var lastReceipt: ContinuousClock.Instant?
  /// Addresses that a socket was made for.
  private(set) var admitted: [IPAddress] = []
  /// Addresses that the policy refused at the moment of connecting.
  private(set) var refused: [(address: IPAddress, reason: String)] = []
  /// What libcurl said of the TLS session; only when traced.
  private(set) var session: String?

  init(options: FetchOptions, clock: any WallClock) {
    self.options = options
    self.clock = clock
    collector = HeaderCollector(maxBytes: options.maxHeaderBytes, maxFields: options.maxHeaderFields)
  }

  /// The answer's status and fields; nil until the header is whole.
  var head: AnswerHead? { collector.isComplete ? collector.head : nil }

  /// Gets ready for the next hop.
  func clear() {
    collector = HeaderCollector(maxBytes: options.maxHeaderBytes, maxFields: options.maxHeaderFields)
    (discarded, plan, body, fault, receivedAt, headInstant, lastReceipt) = (0, nil, SourceBytes(), nil, nil, nil, nil)
    (admitted, refused, session) = ([], [], nil)
  }

  /// Takes a header line; false ends the hop.
  func take(header line: some BidirectionalCollection<UInt8>) -> Bool {
    lastReceipt = .now
    do {
      guard try collector.take(line) else { return true }
      (headInstant, receivedAt) = (lastReceipt, clock.now)
      let plan = try AnswerRules.plan(for: collector.head, maxBytes: options.maxBytes)
      // All of what was announced: growing step by step would copy a phone's photo twice. A lie costs next to nothing.
      if case .keep(let announced?) = plan { body = SourceBytes(capacity: announced) }
      self.plan = plan
      return true
    } catch {
      fault = error
      return false
    }
  }

  /// Takes bytes of the body; false ends the hop.
  func take(body chunk: UnsafeRawBufferPointer) -> Bool {
    lastReceipt = .now
    guard case .keep = plan else {
      discarded += chunk.count
      return discarded <= Self.mostDiscarded
    }
    guard chunk.count <= options.maxBytes - body.count else {
      fault = AvatarError(.sourceTooLarge, "more than \(options.maxBytes) bytes")
      body = SourceBytes()
      return false
    }
    body.append(chunk)
    return true
  }

  /// Judges the address of a new connection. Behind a proxy the address is the proxy's, which the operator chose.
  func admits(_ address: IPAddress) -> Bool {
    if options.proxy == nil, case .refused(let reason) = options.addresses.verdict(on: address) {
      refused.append((address, reason))
      return false
    }
    admitted.append(address)
    return true
  }

  /// Takes a line of libcurl's own account of the transfer.
  func take(note: String) {
    if note.hasPrefix("SSL connection using ") { session = String(note.dropFirst(21).prefix { $0 != "\n" }) }
  }

  /// Hands the body over.
  func takeBody() -> SourceBytes {
    defer { body = SourceBytes() }
    return body
  }
}
