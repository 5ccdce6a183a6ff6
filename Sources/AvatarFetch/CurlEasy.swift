import AvatarCore
import CCurl
import Glibc

/// One exchange's worth of libcurl: an easy handle with our options, and what its callbacks fill. Set up once, used for many hops.
final class CurlEasy {
  /// What the callbacks fill.
  let sink: AnswerSink
  /// The handle, for the multi handle.
  let handle: CurlHandle
  /// The exchange that it works for; 0 for none.
  var exchange: UInt64 = 0
  private let book: ConnectionBook
  private var openedSockets: [Int32] = []  // For this hop.

  /// Throws `internal` if libcurl refuses a handle or an option.
  init(options: FetchOptions, clock: any WallClock, book: ConnectionBook) throws(AvatarError) {
    guard let handle = CurlHandle() else { throw AvatarError(.internalFault, "libcurl has no handle") }
    self.handle = handle
    self.book = book
    sink = AnswerSink(options: options, clock: clock)
    setConstants(options)
    setCallbacks()
    try check("an option")
  }

  /// Sets one hop up. Throws `internal` if libcurl refuses.
  func prepare(_ hop: Hop) throws(AvatarError) {
    sink.clear()
    openedSockets = []
    handle.refusal = CURLE_OK
    handle.set(CURLOPT_URL, hop.url.serialized)
    handle.set(CURLOPT_TIMEOUT_MS, Int(max(1, hop.timeout.milliseconds)))
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, hop.connectTimeout.milliseconds)))
    handle.set(CURLOPT_HTTP_CONTENT_DECODING, hop.decodesContent)
    handle.set(CURLOPT_FRESH_CONNECT, hop.isTraced || hop.needsNewConnection)
    for option in [CURLOPT_FORBID_REUSE, CURLOPT_CERTINFO, CURLOPT_VERBOSE] { handle.set(option, hop.isTraced) }
    handle.set(CURLOPT_HTTPHEADER, lines: hop.fields)
    handle.set(CURLOPT_RESOLVE, lines: hop.resolveEntry.map { [$0] } ?? [])
    try check("a request")
  }

  /// What libcurl knows of the hop that is over; all of it only if `isTraced`.
  func facts(isTraced: Bool) -> HopFacts {
    var facts = HopFacts()
    facts.newConnections = handle.number(CURLINFO_NUM_CONNECTS)
    facts.proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
    guard isTraced else { return facts }
    facts.address = handle.text(CURLINFO_PRIMARY_IP)
    facts.port = handle.number(CURLINFO_PRIMARY_PORT)
    facts.version =
      switch handle.number(CURLINFO_HTTP_VERSION) {
      case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
      default: ""
      }
    facts.connected = handle.time(CURLINFO_CONNECT_TIME_T)
    facts.secured = handle.time(CURLINFO_APPCONNECT_TIME_T)
    facts.firstByte = handle.time(CURLINFO_STARTTRANSFER_TIME_T)
    for line in handle.certificateLines() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, ["Subject", "Issuer", "Start date", "Expire date"].contains(parts[0]) else { continue }
      facts.certificate.append((parts[0].lowercased(), String(parts[1])))
    }
    return facts
  }

  private func check(_ what: String) throws(AvatarError) {
    guard handle.refusal == CURLE_OK else {
      throw AvatarError(.internalFault, "libcurl refuses \(what): \(handle.refusal.rawValue)")
    }
  }

  private func setConstants(_ options: FetchOptions) {
    handle.set(CURLOPT_NOSIGNAL, 1)
    handle.set(CURLOPT_QUICK_EXIT, 1)
    handle.set(CURLOPT_HTTPGET, 1)
    handle.set(CURLOPT_FOLLOWLOCATION, 0)  // Each hop is parsed and judged by us.
    handle.set(CURLOPT_HTTP09_ALLOWED, 0)
    handle.set(CURLOPT_PATH_AS_IS, 1)
    handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_PROXY, options.proxy ?? "")  // Empty: the environment's proxies are not used.
    handle.set(CURLOPT_NOPROXY, "")
    handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Pictures do not shrink; what comes encoded all the same is decoded.
    handle.set(CURLOPT_ACCEPT_ENCODING, "identity")
    handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    handle.set(CURLOPT_SSL_VERIFYPEER, 1)
    handle.set(CURLOPT_SSL_VERIFYHOST, 2)
    // With a directory set libcurl cannot keep the parsed authorities from one handshake to the next.
    handle.set(CURLOPT_CAPATH, nil)
    if let file = options.certificateAuthorities { handle.set(CURLOPT_CAINFO, file) }
    handle.set(CURLOPT_BUFFERSIZE, 64 << 10)
    handle.set(CURLOPT_MAXAGE_CONN, 60)

  }

  private func setCallbacks() {
    handle.set(CURLOPT_HEADERFUNCTION, receiveHeader)
    handle.set(CURLOPT_WRITEFUNCTION, receiveBody)
    handle.set(opener: openSocket, closer: closeSocket, starter: judgeConnection, listener: listen)
    // These run only while the handle is in a transfer, and this object owns the handle.
    for option in [
      CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA, CURLOPT_DEBUGDATA,
    ] {
      handle.set(option, context: self)
    }
    // But a connection outlives the handle that opened it: the book lives as long as the multi handle.
    handle.set(CURLOPT_CLOSESOCKETDATA, context: book)
  }

  fileprivate func newSocket(_ family: Int32, _ kind: Int32, _ protocolNumber: Int32) -> Int32 {
    let descriptor = socket(family, kind | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
    guard descriptor >= 0 else { return -1 }
    // A connection whose peer has gone silent below TCP would else be used again and again (HTTP/2): let the kernel end it.
    var patience: UInt32 = 5000
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &patience, socklen_t(MemoryLayout<UInt32>.size))
    openedSockets.append(descriptor)
    return descriptor
  }

  /// Whether a request may go out on the connection that libcurl chose: a new one, one that speaks HTTP/2, or one on which nothing has
  /// come since its last answer.
  ///
  /// libcurl 7.88 reads no further than the length of an answer and takes a connection with unread bytes for a living one: what an origin
  /// sends beyond its answer would become the answer to the next request (RFC 9112 section 11.2). What cannot be told is not trusted.
  fileprivate func mayUseConnection(_ name: ConnectionBook.Name) -> Bool {
    guard sink.admitted.isEmpty else {
      book.enter(name, candidates: openedSockets)
      return true
    }
    return switch handle.session() {
    case .http2: true
    case .none, .quiet: book.isQuiet(name)
    case .unread, .unknown: false
    }
  }
}

private func easy(_ context: UnsafeMutableRawPointer?) -> CurlEasy? {
  context.map { Unmanaged<CurlEasy>.fromOpaque($0).takeUnretainedValue() }
}

private let receiveHeader: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let sink = easy(context)?.sink else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return sink.take(header: line) ? size * count : 0
}

private let receiveBody: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let sink = easy(context)?.sink else { return 0 }
  let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return sink.take(body: chunk) ? size * count : 0
}

/// The last word on every address: called for each new connection, after names, redirects and whatever else led here.
private let openSocket: curl_opensocket_callback = { context, _, target in
  // libcurl's struct ends in a `sockaddr` that is as long as its family says.
  guard let target, let easy = easy(context), let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
    let address = IPAddress((UnsafeRawPointer(target) + offset).assumingMemoryBound(to: sockaddr.self)),
    easy.sink.admits(address)
  else { return -1 }
  return easy.newSocket(target.pointee.family, target.pointee.socktype, target.pointee.protocol)
}

private let closeSocket: curl_closesocket_callback = { context, socket in
  context.map { Unmanaged<ConnectionBook>.fromOpaque($0).takeUnretainedValue().close(socket) } ?? close(socket)
}

private let judgeConnection: curl_prereq_callback = { context, peerAddress, localAddress, peerPort, localPort in
  guard let easy = easy(context), let peerAddress, let localAddress else { return Int32(CURL_PREREQFUNC_ABORT) }
  let name = ConnectionBook.Name(
    localAddress: String(cString: localAddress), localPort: localPort, peerAddress: String(cString: peerAddress),
    peerPort: peerPort)
  return Int32(easy.mayUseConnection(name) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
}

private let listen: curl_debug_callback = { _, kind, bytes, count, context in
  guard kind == CURLINFO_TEXT, let bytes, let sink = easy(context)?.sink else { return 0 }
  sink.take(note: String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self))
  return 0
}
