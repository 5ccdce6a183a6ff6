import AvatarCore

/// Writes the steps of a hop for `inspect`: never a query string, a cookie, or a header of ours.
enum HopTrace {
  /// Fields of an answer that say something about the picture or its freshness.
  private static let shown: Set<String> = [
    "content-type", "content-length", "content-encoding", "transfer-encoding", "cache-control", "expires", "date",
    "age",
    "etag", "last-modified", "vary", "retry-after",
  ]

  /// Reports connection, TLS, answer and body of the hop that is over; costs nothing where nobody watches.
  static func report(_ exchange: Exchange, _ sink: AnswerSink, _ facts: HopFacts) {
    guard exchange.isTraced else { return }
    for (address, reason) in sink.refused {
      exchange.trace("address", [("address", address.text), ("verdict", "refused: \(reason)")])
    }
    if !facts.address.isEmpty {
      exchange.trace(
        "connect",
        [
          ("address", facts.address), ("port", String(facts.port)),
          ("connection", facts.newConnections > 0 ? "new" : "reused"), ("connected", milliseconds(facts.connected)),
        ])
    }
    if facts.secured > .zero {
      let session = sink.session.map { [(name: "session", value: $0)] } ?? []
      exchange.trace("tls", session + facts.certificate + [("secured", milliseconds(facts.secured))])
    }
    guard let head = sink.head else { return }
    var answer = [(name: "url", value: exchange.url.withoutQuery), ("status", String(head.status))]
    answer += [("version", facts.version), ("firstByte", milliseconds(facts.firstByte))]
    for field in head.fields where shown.contains(field.name) { answer.append((field.name, field.value)) }
    if let location = head.locations.first { answer.append(("location", withoutQuery(location))) }
    exchange.trace("hop", answer)
    if case .keep = sink.plan { exchange.trace("body", [("bytes", String(sink.body.count))]) }
  }

  private static func milliseconds(_ time: Duration) -> String {
    let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  private static func withoutQuery(_ location: [UInt8]) -> String {
    String(decoding: location.prefix { $0 != UInt8(ascii: "?") }.prefix(SourceURL.maximumBytes), as: UTF8.self)
  }
}
