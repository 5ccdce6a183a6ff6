public import AvatarCore

/// Every bound and rule of fetching, as the configuration's `fetch.*` keys set them.
public struct FetchOptions: Sendable {
  /// Header fields for the hosts that fit a pattern. Secret: in no log, no trace, and sent to no other host.
  public struct HostHeaders: Sendable {
    /// The hosts that get the fields.
    public var hosts: HostPattern
    /// Names and values as they go out. They replace a field of ours with the same name.
    public var fields: [HeaderField]
    /// Makes a rule.
    public init(hosts: HostPattern, fields: [HeaderField]) {
      self.hosts = hosts
      self.fields = fields
    }
  }

  /// The longest that a caller waits: redirects and the time in the queue included.
  public var totalTimeout: Duration = .seconds(8)
  /// The longest look-up of a name, and the longest set-up of one connection, TLS included.
  public var connectTimeout: Duration = .seconds(2)
  /// The longest silence once a body has begun; before that `totalTimeout` is the bound.
  public var idleTimeout: Duration = .seconds(3)
  /// Redirects followed; one more is `origin_redirect`.
  public var maxRedirects = 3
  /// Bytes of a body after content decoding; one more is `source_too_large`.
  public var maxBytes = 10 << 20
  /// Bytes of one hop's header lines, interim answers and trailers included; more is `origin_protocol`.
  public var maxHeaderBytes = 64 << 10
  /// Fields of one answer, at most 256; more is `origin_protocol`.
  public var maxHeaderFields = 256
  /// Exchanges that run at once.
  public var concurrency = 256
  /// Exchanges that run at once with one host.
  public var perHostConcurrency = 16
  /// Fetches that wait for a look-up or a slot; more are `overloaded`.
  public var queue = 4096
  /// Name look-ups that run at once.
  public var lookups = 32
  /// Which hosts may be asked, on every hop.
  public var hosts = HostPolicy()
  /// Which addresses may be connected to, on every connection.
  public var addresses = AddressPolicy()
  /// Fields for private origins.
  public var headers: [HostHeaders] = []
  /// The proxy's URL, credentials included; nil for none. The environment's proxies are never used. Behind a proxy only literal
  /// hosts are judged here: names are looked up, and addresses chosen, by the proxy.
  public var proxy: String?
  /// `User-Agent`.
  public var userAgent: String
  /// A PEM file with the certificate authorities to trust; nil for the system's.
  public var certificateAuthorities: String?

  /// The contract's defaults.
  public init(userAgent: String) { self.userAgent = userAgent }

  /// The name of the first field that could not go out as one header line; nil if all can.
  var firstUnsendableField: String? {
    let agent = HeaderField("User-Agent", userAgent)
    return ([agent] + headers.flatMap(\.fields)).first { !RequestFields.isSendable($0) }?.name
  }
}
