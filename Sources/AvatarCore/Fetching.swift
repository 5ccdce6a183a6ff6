/// The port to origins: one source URL in, one HTTP answer out, redirects followed and every bound held.
public protocol OriginFetching: Sendable {
  /// Fetches `request.url` and gives the origin's 200 or 304.
  ///
  /// Throws the contract's 403 address and host codes, 404 `origin_not_found`, 422 `source_too_large` and `source_empty`, every 502, 503
  /// `origin_throttled` (with `retryAfter`) and `overloaded`, 504 `origin_timed_out`. `originStatus` is set where one came.
  func fetch(_ request: OriginRequest) async throws(AvatarError) -> OriginResponse
}

/// One conditional or plain GET at an origin.
public struct OriginRequest: Sendable {
  /// What to fetch.
  public var url: SourceURL
  /// The stored copy's validators, sent as `If-None-Match` and `If-Modified-Since`; nil for a plain GET.
  public var validators: Validators?
  /// Where to report each step for `inspect`; nil on the usual path.
  public var trace: (@Sendable (FetchStep) -> Void)?

  /// Makes a request.
  public init(url: SourceURL, validators: Validators? = nil, trace: (@Sendable (FetchStep) -> Void)? = nil) {
    self.url = url
    self.validators = validators
    self.trace = trace
  }
}

/// The origin's own validators, byte for byte as it sent them (RFC 9110 section 8.8).
public struct Validators: Hashable, Sendable {
  /// `ETag`, with its quotes and `W/` where it is weak.
  public var etag: String?
  /// `Last-Modified`.
  public var lastModified: String?
  /// Makes validators.
  public init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = etag
    self.lastModified = lastModified
  }
  /// Whether there is nothing to send.
  public var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// What an origin answered, after redirects: always 200 with a body or 304 without.
public struct OriginResponse: Sendable {
  /// 200 or 304.
  public var status: Int
  /// The last hop's header fields in order, names in lower case, values trimmed. At most 256 of them.
  public var headers: [HeaderField]
  /// The body after content decoding, 1…`fetch.maxBytes` bytes; empty for a 304.
  public var source: SourceBytes
  /// Where the answer came from, after redirects.
  public var finalURL: SourceURL
  /// Redirects followed.
  public var redirects: Int
  /// The wall clock when the last hop's request went out (RFC 9111 section 4.2.3: request_time).
  public var requestedAt: UnixTime
  /// The wall clock when its header had come (response_time).
  public var receivedAt: UnixTime
  /// The whole exchange from the start of the first hop, waiting for a slot left out.
  public var elapsed: Duration

  /// Makes a response.
  public init(
    status: Int, headers: [HeaderField], source: SourceBytes, finalURL: SourceURL, redirects: Int,
    requestedAt: UnixTime,
    receivedAt: UnixTime, elapsed: Duration
  ) {
    self.status = status
    self.headers = headers
    self.source = source
    self.finalURL = finalURL
    self.redirects = redirects
    self.requestedAt = requestedAt
    self.receivedAt = receivedAt
    self.elapsed = elapsed
  }

  /// All values of the field `name` (lower case), in order.
  public func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// One HTTP header field.
public struct HeaderField: Hashable, Sendable {
  /// Lower case where it came from outside; as it goes out where it is ours.
  public var name: String
  /// Without surrounding blanks.
  public var value: String
  /// Makes a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// One step of a fetch as `inspect` shows it. No secrets: `fetch.headers` and credentials never appear.
public struct FetchStep: Sendable {
  /// What kind of step: `address`, `connect`, `tls`, `hop`, `body`, `error`.
  public var kind: String
  /// Time since the start of the fetch.
  public var at: Duration
  /// Named facts in order, such as (`address`, `192.0.2.1`), (`verdict`, `refused: documentation`), (`status`, `302`).
  public var facts: [(name: String, value: String)]
  /// Makes a step.
  public init(kind: String, at: Duration, facts: [(name: String, value: String)]) {
    self.kind = kind
    self.at = at
    self.facts = facts
  }
}
