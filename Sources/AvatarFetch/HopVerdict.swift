import AvatarCore

/// What one hop that is over means for its fetch. Pure, given what the callbacks collected.
enum HopVerdict {
  case found
  case notModified
  case redirected([UInt8])
  /// The origin lied about a content encoding: ask again and take the body as it is.
  case askPlainly
  /// The open connection held bytes that nobody had asked for: ask on a new one.
  case askAfresh
  case failed(AvatarError)

  /// Judges the end of a hop: our own reason to end it first, then a status that says all, then libcurl's code.
  init(code: UInt32, sink: AnswerSink, facts: HopFacts, exchange: Exchange) {
    if let fault = sink.fault {
      self = .failed(fault)
    } else if let head = sink.head, code == CurlCode.success || sink.plan == .discard {
      self = Self.whole(head, sink: sink, exchange: exchange)
    } else if code == CurlCode.badContentEncoding, sink.head != nil, sink.body.isEmpty, !exchange.takesBodyAsItIs {
      self = .askPlainly
    } else if code == CurlCode.abortedByCallback, !exchange.needsNewConnection {
      self = .askAfresh
    } else {
      self = .failed(Self.error(code: code, sink: sink, facts: facts))
    }
  }

  private static func whole(_ head: AnswerHead, sink: AnswerSink, exchange: Exchange) -> Self {
    let outcome = AnswerRules.outcome(
      of: head, bytes: sink.body.count, isConditional: exchange.validators != nil,
      now: sink.receivedAt ?? exchange.requestedAt)
    switch outcome {
    case .found where exchange.takesBodyAsItIs && isCompressed(sink.body):
      return .failed(AvatarError(.originProtocol, "a damaged content encoding", originStatus: head.status))
    case .found: return .found
    case .notModified: return .notModified
    case .redirected(let location): return .redirected(location)
    case .failed(let error): return .failed(error)
    }
  }

  private static func error(code: UInt32, sink: AnswerSink, facts: HopFacts) -> AvatarError {
    let status = sink.head?.status
    if code == CurlCode.couldNotConnect, sink.admitted.isEmpty, let refused = sink.refused.first {
      return AvatarError(.addressNotAllowed, "\(refused.address.text): \(refused.reason)")
    }
    if facts.proxyStatus != 0, !(200..<300).contains(facts.proxyStatus) {
      return AvatarError(.originUnreachable, "the proxy answers CONNECT with \(facts.proxyStatus)")
    }
    return AvatarError(CurlCode.meaning(of: code), "libcurl \(code)", originStatus: status)
  }

  /// Begins like gzip or Zstandard: it was encoded after all, and is damaged.
  private static func isCompressed(_ body: SourceBytes) -> Bool {
    body.withUnsafeBytes { $0.starts(with: [0x1F, 0x8B]) || $0.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) }
  }
}
