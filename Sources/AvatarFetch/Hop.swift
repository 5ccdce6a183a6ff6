import AvatarCore

/// One request as libcurl gets it.
struct Hop {
  /// The URL, exactly as our parser wrote it.
  var url: SourceURL
  /// Where the host is; nil for a literal address, and behind a proxy.
  var addresses: [IPAddress]?
  /// Header lines.
  var fields: [String]
  /// What is left for the whole hop.
  var timeout: Duration
  /// What is left for the connection.
  var connectTimeout: Duration
  /// Whether content encodings are undone.
  var decodesContent = true
  /// Whether an open connection will not do.
  var needsNewConnection = false
  /// Whether it is for `inspect`: then it uses a connection of its own, so that there is something to see.
  var isTraced = false

  /// `+host:port:address,…`: libcurl asks no resolver, and forgets the entry after a while.
  var resolveEntry: String? {
    guard let addresses, !addresses.isEmpty else { return nil }
    let list = addresses.map { if case .v6 = $0 { "[\($0.text)]" } else { $0.text } }
    return "+\(url.host.text):\(url.port):\(list.joined(separator: ","))"
  }
}

/// What libcurl knows of a hop that is over.
struct HopFacts {
  /// Connections opened for it; 0 if one was there.
  var newConnections = 0
  /// The peer, for `inspect`.
  var address = ""
  /// The peer's port.
  var port = 0
  /// `HTTP/1.0`, `HTTP/1.1`, `HTTP/2`, or empty.
  var version = ""
  /// From the start of the hop until TCP was there.
  var connected = Duration.zero
  /// From the start of the hop until TLS was there; zero without TLS.
  var secured = Duration.zero
  /// From the start of the hop to its first byte.
  var firstByte = Duration.zero
  /// The peer's certificate: subject, issuer, dates.
  var certificate: [(name: String, value: String)] = []
  /// The proxy's answer to CONNECT; 0 without one.
  var proxyStatus = 0
}
